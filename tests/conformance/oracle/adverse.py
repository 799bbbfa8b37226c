# SPDX-License-Identifier: Apache-2.0
"""Random cases that look for trouble: each function takes a Plain and gives a case."""
from .plain import IMAGES, KEYS, PATHS, policy

ODD_NAMES = ('', "'", '"', '\\', 'a.b', 'a/b', '*', 'é', '🎸', ' ', 'x\ty', '5', '-5', 'a[b]',
             'a:b', '\u00a0', '\u200b', '\x7f', 'null', 'x' * 70)
NUMBERS = (0, 5, -5, 5.0, 5.5, 80, 1e21, 1.5e-7, 0.000001, 123456789.25, 9007199254740993,
           1000000, 9223372036854775807, -9223372036854775808, 9223372036854775808)
WRONG = (None, 's', 7, 2.5, True, [], {}, [[]], [None], ['s'], [{}], [[{'k': 'v'}]],
         {'k': 'v'}, [{'k': 'v'}], [{'k': 'w'}, 's'], [{'k': 'v'}, {'k': 'v', 'n': 'old'}],
         [{'k': 5}, {'k': '5'}, {'k': 5.0}], [{'k': None}, {'k': ['v']}, {'k': True}])
POD = {'groups': [''], 'versions': ['v1'], 'kinds': ['Pod']}
VALUES = {'Assign': {'assign': {'value': 'V'}}, 'AssignImage': {'assignTag': ':9'},
          'ModifySet': {'operation': 'merge', 'values': {'fromList': ['V', '-x']}}}


def quoted(draw, name):
    """A name in quotes, every character that needs it behind a backslash."""
    quote = draw.pick('\'"')
    escaped = ''.join(f'\\{rune}' if rune in (quote, '\\') or draw.one_in(9) else rune
                      for rune in name)
    return quote + escaped + quote


def pod(spec, **metadata):
    """A Pod with this spec."""
    return {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': 'p', **metadata},
            'spec': spec}


def on_pods(kind, name, location, parameters, **more):
    """A policy for Pods."""
    return policy(kind, name, {'applyTo': [dict(POD)], 'location': location,
                               'parameters': parameters, **more})


def case(mutators, thing, **more):
    """A case of these."""
    return {'mutators': mutators, 'object': thing, 'namespace': None,
            'operation': 'CREATE', **more}


def odd_names(draw):
    """Names that need quotes, in the location and in the object."""
    names = [draw.pick(ODD_NAMES) for _ in range(3)]
    inner = {names[1]: draw.pick((names[2], {}, [], None)), 'x': 'y'}
    spec = {names[0]: draw.pick((inner, [inner], [inner, inner], None, names[1]))}
    field, key, value = (quoted(draw, name) for name in names)
    location = draw.pick((f'spec.{field}.{key}', f'spec.{field}[{key}:{value}].x',
                          f'spec.{field}[{key}:*].{value}', f'spec.{field}[{key}: {value}]'))
    kind = draw.pick(('Assign', 'ModifySet', 'AssignImage'))
    parameters = dict(VALUES[kind])
    if kind == 'Assign' and location.endswith(']') and draw.one_in(2):
        parameters = {'assign': {'value': {names[1]: names[2], 'new': names[0]}}}
    if draw.one_in(3):
        parameters['pathTests'] = [{'subPath': f'spec.{quoted(draw, names[0])}',
                                    'condition': draw.pick(('MustExist', 'MustNotExist'))}]
    metadata = policy('AssignMetadata', 'm', {'location': f'metadata.labels.{field}',
                                              'parameters': {'assign': {'value': names[1]}}})
    return case([on_pods(kind, 'a', location, parameters), metadata], pod(spec))


def wrong_types(draw):
    """Nulls, nested lists and other things on the way to a location."""
    steps = [draw.pick(('a', 'b[k: v]', 'c[k: *]', 'd[k: 5]', 'e[k: "5"]'))
             for _ in range(draw.chance.randint(1, 3))]
    if draw.one_in(3):
        steps.append('n')
    body = draw.pick(WRONG)
    for step in reversed(steps[1:]):
        key = {'[k: 5]': 5, '[k: "5"]': '5'}.get(step[1:], 'v')
        node = {step[0]: body}
        shapes = (node, [node], [{**node, 'k': key}], [{**node, 'k': key}] * 2, {}, None)
        body = draw.pick(shapes)
    spec = {steps[0][0]: body}
    kind = draw.pick(('Assign', 'Assign', 'ModifySet', 'AssignImage'))
    parameters = dict(VALUES[kind])
    if kind == 'Assign' and steps[-1].endswith(']'):
        key = 5 if '5' in steps[-1] and not '"' in steps[-1] else steps[-1][-3:-1].strip(' "')
        parameters = {'assign': {'value': draw.pick(({'k': key}, {'k': key, 'n': 1}, {}))}}
    if draw.one_in(3):
        parameters['pathTests'] = draw.path_tests(['spec'] + steps)
    root = draw.pick((spec, spec, spec, spec, None, [], 's'))
    return case([on_pods(kind, 'a', '.'.join(['spec'] + steps), parameters)], pod(root))


def fight(draw):
    """Several mutators that want the same field."""
    location = draw.pick(('spec.f', 'spec.l[k: v].f', 'spec.l[k: *].f', 'spec.f.g'))
    mutators = []
    for index in range(draw.chance.randint(2, 5)):
        kind = draw.pick(('Assign', 'Assign', 'ModifySet'))
        parameters = {'assign': {'value': draw.value()}}
        if kind == 'ModifySet':
            parameters = {'operation': draw.pick(('merge', 'prune')),
                          'values': {'fromList': draw.args()}}
        mutators.append(on_pods(kind, f'{draw.pick("abz")}{index}', location, parameters))
    spec = draw.pick(({}, {'f': draw.args()}, {'l': [{'k': 'v'}]},
                      {'l': [{'k': 'v', 'f': []}, {'k': 'v'}]}))
    return case(mutators, pod(spec))


def chain(draw):
    """Each mutator waits for a label that the one before it sets."""
    length = draw.chance.randint(2, 7)
    names = [f'{index:02}' for index in range(length)]
    draw.chance.shuffle(names)
    mutators = []
    for index, name in enumerate(names):
        kind = 'Assign' if index == length - 1 else 'AssignMetadata'
        labels = {'matchExpressions': [{'key': f's{index}', 'operator': 'Exists'}]}
        if draw.one_in(2):
            labels = {'matchLabels': {f's{index}': 'p'}}
        spec = {'match': {'labelSelector': labels},
                'location': f'metadata.labels.s{index + 1}',
                'parameters': {'assign': {'fromMetadata': {'field': 'name'}}}}
        if kind == 'Assign':
            spec.update(location='spec.done', applyTo=[dict(POD)])
        mutators.append(policy(kind, name, spec))
    draw.chance.shuffle(mutators)
    return case(mutators, pod({}, labels={'s0': draw.pick(('p', 'p', 'p', 'q'))}))


def slow_images(draw):
    """Image references that need several passes, or too many."""
    mutators = []
    for index in range(draw.pick((1, 1, 1, 2, 3))):
        parts = {'assignPath': draw.pick(PATHS + ('a.b', 'a.b'))}
        if draw.one_in(4):
            parts['assignTag'] = draw.pick((':1', ':v2'))
        if draw.one_in(6):
            parts = {'assignDomain': draw.pick(('gcr.io', 'localhost'))}
        location = draw.pick(('spec.image', 'spec.l[k: *].image'))
        mutators.append(on_pods('AssignImage', f'i{index}', location, parts))
    image = draw.pick(IMAGES + ('n@x/y', 'n@x/y', 'a.b@c/d:e/f', '@/@', 'a@/b.c/d:1',
                                'n@x/y/z', 'n@x/y@z/w', 'n@/y:1') * 2)
    return case(mutators, pod(draw.pick(({'image': image}, {'l': [{'image': image}]}, {}))))


def numbers(draw):
    """Numbers as values, as members, as keys, and in messages."""
    number, other = draw.pick(NUMBERS), draw.pick(NUMBERS)
    spec = {'f': draw.pick(([number], number, {'n': number}, [other, str(number)])),
            'l': [{'k': draw.pick((number, str(number), other))}, {'k': 5, 'x': 1}],
            'n': other}
    kind = draw.pick(('Assign', 'ModifySet'))
    location = draw.pick(('spec.f', 'spec.n', 'spec.l[k: 5].x', 'spec.l[k: 80].y', 'spec.n.x',
                          'spec.l[k: 9223372036854775807].x', 'spec.l[k: 5]', 'spec.n[k: v].x',
                          'spec.l[k: 18446744073709551621].x'))
    value = draw.pick((number, [number], {'k': number}, {'k': 5}, {'k': 5, 'z': other}))
    parameters = {'assign': {'value': value}}
    if kind == 'ModifySet':
        parameters = {'operation': draw.pick(('merge', 'prune')),
                      'values': {'fromList': [number, other, number]}}
    mutators = [on_pods(kind, 'a', location, parameters)]
    if draw.one_in(2):
        beneath = draw.pick(('spec.f.x', 'spec.n.x', 'spec.n[k: v].x', 'spec.f', 'spec.n'))
        later = draw.pick(('Assign', 'ModifySet'))
        mutators.append(on_pods(later, 'b', beneath, VALUES[later]))
    return case(mutators, pod(draw.pick((spec, spec, {}))))


def conflicts(draw):
    """Mutators that may disagree about the shape of an object, or only seem to."""
    locations = ('spec.a', 'spec.a.b', 'spec.a.b.c', 'spec.a[k: v].b', 'spec.a[j: v].b',
                 'spec.a[k: v]', 'spec.a[k: *].b.c', 'spec.c', 'spec.k[a: v].b', 'status.a')
    mutators = []
    for index in range(draw.chance.randint(2, 6)):
        kind, location = draw.pick(('Assign', 'Assign', 'AssignImage', 'ModifySet')), ''
        while location == '' or (location.endswith(']') and kind != 'Assign'):
            location = draw.pick(locations)
        parameters = dict(VALUES[kind])
        if location.endswith(']'):
            parameters = {'assign': {'value': {'k': 'v'}}}
        mutator = on_pods(kind, f'{draw.pick("abz")}{draw.pick((index, 0))}', location,
                          parameters)
        entry = {**POD, 'operations': [draw.pick(('CREATE', 'UPDATE', '*'))]}
        mutator['spec']['applyTo'] = draw.pick((draw.apply_to(), [entry]))
        mutators.append(mutator)
    return case(mutators, pod({}), operation=draw.pick(('CREATE', 'UPDATE')))


TOKENS = ('.', '.', '.', '[', ']', '*', ':', ' ', '\t', 'a', 'l', 'k', 'v-_9', '5', '007',
          '"q"', "'q'", '"\\""', '"', "'", '\\', '/', 'é', '\u2028', '\U000e0001',
          '18446744073709551616', '[k: v]', '[k: *]', '[k: 5]')


def soup(draw):
    """Locations and path tests of random words."""
    def text():
        return 'spec' + ''.join(draw.pick(TOKENS) for _ in range(draw.chance.randrange(9)))
    kind = draw.pick(('Assign', 'ModifySet', 'AssignImage'))
    location = draw.pick((text(), f'spec.a.{text()}', 'spec.l[k: v].a'))
    parameters = dict(VALUES[kind])
    if draw.one_in(2):
        whole = draw.pick((location, 'spec', text()))
        parameters['pathTests'] = [{'subPath': draw.pick((whole, whole.rpartition('.')[0])),
                                    'condition': draw.pick(('MustExist', 'MustNotExist'))}
                                   for _ in range(draw.chance.randint(1, 3))]
    return case([on_pods(kind, 'a', location, parameters)], pod({'l': [{'k': 'v'}]}))


def glob(draw, name):
    """A glob of pieces, of this name or of others."""
    if draw.one_in(2):
        start, end = sorted(draw.chance.randint(0, len(name)) for _ in range(2))
        part = draw.pick((name, name[:end], name[start:], name[start:end]))
        return draw.pick(('', '*')) + part + draw.pick(('', '*'))
    pieces = ('*', '*', 'we', 'b', 'web', '-', '0', 'shop', 'dev', 'o')
    return ''.join(draw.pick(pieces) for _ in range(draw.chance.randint(1, 3)))


def globs(draw):
    """Names and namespaces held against globs."""
    thing, namespace = draw.thing()
    metadata = thing['metadata']
    if draw.one_in(2):
        metadata['generateName'] = metadata.pop('name', metadata.get('generateName'))
    if draw.one_in(4):
        thing.update(apiVersion='v1', kind='Namespace')
    match, name = {}, metadata.get('name') or metadata['generateName']
    space = metadata.get('namespace', name)
    for key in draw.some(('name', 'namespaces', 'excludedNamespaces', 'scope')):
        match[key] = glob(draw, name) if key == 'name' else [glob(draw, space)]
    if 'scope' in match:
        match['scope'] = draw.pick(('Cluster', 'Namespaced', ''))
    spec = {'match': match, 'location': 'metadata.annotations.hit',
            'parameters': {'assign': {'value': 'yes'}}}
    return case([policy('AssignMetadata', 'a', spec)], thing,
                namespace=draw.pick((namespace, namespace, None, draw.namespace('shop'))))


def own_labels(draw):
    """Mutators that match by labels which they and the others set on the object."""
    spaced = draw.one_in(2)
    thing = pod({}, labels=draw.labels())
    if not spaced:
        thing['kind'] = 'Namespace'
    mutators = []
    for name in draw.some('abcd', 2):
        keys = draw.some(('app', 'tier', 'x'))[:draw.pick((1, 1, 2))]
        requirements = [{'key': key, 'operator': draw.pick(('Exists', 'DoesNotExist'))}
                        for key in keys]
        if draw.one_in(4):
            requirements.append({'key': 'env', 'operator': draw.pick(('In', 'NotIn')),
                                 'values': ['dev', 'v']})
        which = draw.pick(('labelSelector', 'namespaceSelector', 'labelSelector'))
        label = draw.pick(('app', 'tier', 'x', 'env'))
        mutators.append(policy('AssignMetadata', name, {
            'match': {which: {'matchExpressions': requirements}},
            'location': f'metadata.labels.{label}',
            'parameters': {'assign': {'value': draw.pick(('v', 'dev', 'web'))}}}))
    return case(mutators, thing, namespace=draw.namespace('shop') if spaced else None)


def sets(draw):
    """ModifySets with odd lists, on odd values."""
    members = ('-x', '', None, True, [], {}, ['-x'], {'k': 'v'}, {'k': None}, 'é', '1')
    lists = [[draw.pick(members) for _ in range(draw.chance.randrange(5))] for _ in range(3)]
    body = draw.pick((lists[0], lists[0], None, {'f': lists[0]}, 'x', {}, [{'k': 'v'}],
                      [{'k': 'v', 'f': lists[0]}, {'k': 'v', 'f': lists[1]}, {'k': 'w'}]))
    mutators = []
    location = draw.pick(('spec.f', 'spec.f.f', 'spec.f[k: v].f', 'spec.f[k: *].f',
                          'spec.f[k: v].k', 'spec.g[k: v].f', 'spec.g.h.f', 'spec.f[k: v].g.f'))
    for name in draw.some('abc')[:2]:
        values = draw.pick(({'fromList': lists[2]}, {'fromList': lists[1]}, {'fromList': []}))
        parameters = {'operation': draw.pick(('merge', 'prune')), 'values': values}
        if draw.one_in(3):
            parameters['pathTests'] = draw.path_tests(location.split('.'))
        if draw.one_in(6):
            del parameters['operation']
        mutators.append(on_pods('ModifySet', name, location, parameters))
    return case(mutators, pod({'f': body}))


def namespaces(draw):
    """Mutators of files that name a namespace, which are in none in a cluster."""
    result = draw.pick((fight, conflicts, wrong_types))(draw)
    for mutator in result['mutators']:
        if draw.one_in(2):
            mutator['metadata'].update(name=draw.pick('ab'), namespace=draw.pick(('ns', 'n', '')))
    return result


def nulls(draw):
    """Ordinary cases in which parts of the policies are null, or of the object odd."""
    result = draw.case()
    for mutator in result['mutators']:
        spec = mutator['spec']
        for part in ('match', 'applyTo'):
            if draw.one_in(9):
                spec[part] = None
        match = spec.get('match') or {}
        for part in match:
            if draw.one_in(4):
                match[part] = None
        for part in ('pathTests', 'assign', 'values', 'assignTag', 'assignDomain'):
            if draw.one_in(12) and part in spec['parameters']:
                spec['parameters'][part] = None
    metadata = result['object']['metadata']
    if draw.one_in(2):
        metadata[draw.pick(('labels', 'annotations'))] = draw.pick((None, 's', [], {}, True))
    return result


BAD_LOCATIONS = ('', ' ', '.', 'a.', 'a..b', 'a b', '[a: b]', 'a[b]', 'a[b:]', 'a[b:c', 'a[*]',
                 'a[:c]', 'a[b:c]d', 'a[b:c][d:e]', 'a[b:5x]', '5', 'a.*', '"a', "'a\\", 'é',
                 'a[b:9223372036854775808]', 'a\x0bb', 'metadata.x', 'metadata[k: v].x',
                 'spec.l[k: v].k', 'spec.l[k: *].k', 'spec.l[k: *]', 'spec.l[k: v]',
                 'metadata.labels', 'metadata.labels.x.y', 'metadata.labels[x: y]',
                 'metadata."labels".x', 'status.labels.x', 'spec."metadata".x', '"spec".x')
BAD_TESTS = ([{'subPath': 'spec.', 'condition': 'MustExist'}], [{'subPath': 'x'}],
             [{'subPath': '', 'condition': 'MustExist'}], [{'subPath': 'spec'}],
             [{'condition': 'MustNotExist'}], [{'subPath': 'spec.l[k: *]'}],
             [{'subPath': 'spec', 'condition': 'MustNotExist'},
              {'subPath': '', 'condition': 'MustExist'}],
             [{'subPath': 'spec.l[k: "v"]', 'condition': 'MustExist'}],
             [{'subPath': 'spec.l', 'condition': 'MustNotExist'},
              {'subPath': 'spec', 'condition': 'MustExist'}])
BAD_ASSIGNS = ({}, {'value': None}, {'value': 5}, {'value': [1, {'b': None, 'a': 'é'}]},
               {'fromMetadata': {'field': 'uid'}}, {'fromMetadata': {}}, {'value': {'k': 'w'}},
               {'value': 'v', 'fromMetadata': {'field': 'name'}}, {'value': {'k': 'v'}},
               {'fromMetadata': {'field': 'name'}}, {'value': {'k': 5.5}}, {'value': ''},
               {'value': {'k': {'b': [1, None], 'a': True}}})
BAD_APPLIES = ([], [{}], [POD, {**POD, 'kinds': []}], [{**POD, 'groups': []}],
               [{**POD, 'groups': ['*'], 'kinds': ['*']}], [{**POD, 'versions': ['v2']}],
               *([{**POD, 'operations': operations}] for operations in
                 (['DELETE'], ['CREATE', 'CREATE'], ['*', 'CREATE'], ['*', '*'], [''],
                  ['create', 'UPDATE', 'create', '*'])))


def invalid(draw):
    """Policies of which most are invalid in some way, or in several."""
    kind = draw.pick(('Assign', 'Assign', 'AssignMetadata', 'ModifySet', 'AssignImage'))
    location = 'metadata.labels.x' if kind == 'AssignMetadata' else 'spec.l[k: v].x'
    parameters = dict(VALUES.get(kind, VALUES['Assign']))
    spec = {'applyTo': [dict(POD)]}
    if draw.one_in(2):
        location = draw.pick(BAD_LOCATIONS)
    if draw.one_in(3) and 'assign' in parameters:
        parameters['assign'] = draw.pick(BAD_ASSIGNS)
    if draw.one_in(4):
        parameters['pathTests'] = draw.pick(BAD_TESTS)
    if draw.one_in(5):
        spec = {'applyTo': draw.pick(BAD_APPLIES)}
    if draw.one_in(9):
        parameters['operation'] = draw.pick(('Merge', '', 'union'))
    name = draw.pick(('a', 'a', 'B', 'a.b', 'x' * 63, 'x' * 64))
    spec.update(location=location, parameters=parameters)
    thing = pod(draw.pick(({}, {'l': [{'k': 'v'}]}, {'x': 1})))
    return case([policy(kind, name, spec)], thing)


BAD_SELECTORS = tuple(
    {'matchExpressions': [requirement]} for requirement in
    ({'key': 'app', 'operator': 'Bad'}, {'key': 'app', 'operator': 'In'},
     {'key': 'app', 'operator': 'NotIn', 'values': []}, {'key': 'bad key!', 'operator': 'Exists'},
     {'key': 'app', 'operator': 'Exists', 'values': ['x', 'y']}, {'operator': 'Exists'},
     {'key': 'app', 'operator': 'In', 'values': ['ok', 'bad value!']}, {'key': 'app'},
     {'key': 'x/', 'operator': 'Exists'}, {'key': 'a.b/c', 'operator': 'DoesNotExist'},
     {'key': 'app', 'operator': 'In', 'values': ['web', '']})
) + ({'matchLabels': {'app': 'bad value!'}}, {'matchLabels': {'app': ''}}, {})


def circumstances(draw):
    """Selectors that are wrong, namespaces that are missing, sources and operations."""
    result = draw.case()
    for mutator in result['mutators']:
        match = dict(mutator['spec'].get('match', {}))
        if draw.one_in(3):
            match[draw.pick(('labelSelector', 'namespaceSelector'))] = draw.pick(BAD_SELECTORS)
        if draw.one_in(4):
            match['source'] = draw.pick(('', 'All', 'Original', 'Generated', 'all'))
        if draw.one_in(6):
            match['name'] = draw.pick(('*', '**', '*-', 'web-*', '*e*', 'web-', 'w*b', 'web*'))
        mutator['spec']['match'] = match
    metadata = result['object']['metadata']
    if draw.one_in(3):
        result['namespace'] = draw.pick((None, draw.namespace('shop')))
    if draw.one_in(6):
        metadata.pop('namespace', None)
    if draw.one_in(8):
        metadata['labels'] = draw.pick((None, {}))
    if draw.one_in(3):
        result['sourceType'] = draw.pick(('Original', 'Generated', 'All', 'Bogus'))
    result['operation'] = draw.pick(('CREATE', 'UPDATE', 'DELETE', 'NONE'))
    return result


def criteria(draw):
    """Criteria that hold, that do not, and that are errors: the first to fail counts."""
    good = {'kinds': [{'kinds': ['Pod']}], 'labelSelector': {'matchLabels': {'app': 'web'}},
            'namespaceSelector': {'matchLabels': {'app': 'web'}}, 'name': 'p*', 'source': 'All',
            'namespaces': ['shop'], 'excludedNamespaces': ['x*'], 'scope': 'Namespaced'}
    bad = {'kinds': [{'apiGroups': ['apps']}], 'labelSelector': {'matchLabels': {'app': 'db'}},
           'namespaceSelector': {'matchLabels': {'app': 'db'}}, 'name': 'q*', 'scope': 'Cluster',
           'namespaces': ['x*'], 'excludedNamespaces': ['sh*'], 'source': 'Generated'}
    match = {}
    for key in draw.some(list(good))[:4]:
        match[key] = draw.pick((good, good, bad))[key]
        if key.endswith('Selector') and draw.one_in(2):
            match[key] = draw.pick(BAD_SELECTORS)
        if key == 'source' and draw.one_in(2):
            match[key] = 'original'
    spec = {'match': match, 'location': 'metadata.annotations.hit',
            'parameters': {'assign': {'value': 'yes'}}}
    namespace = draw.namespace('shop')
    namespace['metadata']['labels']['app'] = 'web'
    thing = pod({}, labels={'app': 'web'}, **draw.pick(({'namespace': 'shop'}, {})))
    return case([policy('AssignMetadata', 'a', spec)], thing,
                namespace=draw.pick((namespace, namespace, None)))


def duplicates(draw):
    """Keyed lists whose keys repeat, replaced and walked through."""
    elements = [draw.pick(({'k': 'v'}, {'k': 'v', 'n': 'old'}, {'k': 'w'}, {}, {'k': None},
                           {'k': 'v', 'm': [{'j': '1'}, {'j': '1', 'n': 'x'}]},
                           draw.pick(({}, {'k': 'v'}, 's', None, []))))
                for _ in range(draw.chance.randrange(5))]
    location = draw.pick(('spec.l[k: v]', 'spec.l[k: v].n', 'spec.l[k: v].m[j: "1"].n',
                          'spec.l[k: *].n', 'spec.l[k: v].m[j: "1"]', 'spec.l[k: *].m[j: *].n'))
    value = {'k': 'v', 'z': draw.pick(KEYS)} if location == 'spec.l[k: v]' else {'j': '1'}
    parameters = {'assign': {'value': value}}
    if draw.one_in(2):
        steps = location.split('.')
        parameters['pathTests'] = draw.path_tests(steps)
    mutators = [on_pods('Assign', name, location, parameters) for name in ('a', 'b')]
    return case(mutators[:draw.chance.randint(1, 2)], pod({'l': elements}))


def _provider_answer(draw, keys):
    """What a provider answers, or why it does not; None: there is no such provider."""
    if draw.one_in(8):
        return draw.pick((None, {'fail': 'no route'}, {'fail': 'out of time'}))
    items = []
    for key in keys:
        item = {'key': key, 'value': draw.pick((f'{key}_valid', f'{key}_valid', '', key))}
        if draw.one_in(6):
            item = draw.pick(({'key': key, 'error': 'bad'}, {'key': key, 'value': 5},
                              {'key': key, 'value': None}, {'key': key}, {'value': 'x'},
                              {'key': key, 'value': ['x']}, {'key': key, 'value': True},
                              {'key': key, 'value': {}}, {'key': key, 'value': 'v',
                                                          'error': 'both'}))
        items += [item] * (0 if draw.one_in(9) else 1)
        if draw.one_in(12):
            items.append({'key': key, 'value': 'again'})
    response = {'idempotent': not draw.one_in(12), 'items': items,
                'systemError': draw.pick(('',) * 9 + ('boom', ' boom! ', '\t\n'))}
    if draw.one_in(15):
        del response[draw.pick(list(response))]
    return {'apiVersion': 'externaldata.gatekeeper.sh/v1beta1', 'kind': 'ProviderResponse',
            'response': response}


def _external_source(draw):
    source = {'provider': draw.pick(('p', 'p', 'q', 'r'))}
    if draw.one_in(3):
        source['dataSource'] = draw.pick(('ValueAtLocation', 'Username'))
    if draw.one_in(2):
        source['failurePolicy'] = draw.pick(('Fail', 'Ignore', 'UseDefault'))
    if draw.one_in(3) or source.get('failurePolicy') == 'UseDefault':
        source['default'] = draw.pick(('D', 'D', 'D', 'nginx', ''))
    return source


def external_data(draw):
    """Values that providers give, fail to give, or are not asked for in the end."""
    locations = ('spec.containers[name: *].image', 'spec.x', 'spec.y', 'spec.x',
                 'spec.containers[name: net].image', 'spec.containers[name: new].image',
                 'spec.containers[name: *].image.deep', 'spec.containers[name: net]')
    mutators = []
    for index in range(draw.chance.randint(1, 5)):
        name = draw.pick('abz') + str(index)
        source = {'externalData': _external_source(draw)}
        if draw.one_in(3):
            source = {'value': draw.pick(('nginx', 'nginx', 'v', ''))}
        if draw.one_in(6):
            where = f'metadata.annotations.{draw.pick("xy")}'
            mutators.append(policy('AssignMetadata', name, {'location': where,
                                                            'parameters': {'assign': source}}))
            continue
        if draw.one_in(12):
            mutators.append(on_pods('ModifySet', name, draw.pick(('spec.x', 'spec.y')),
                                    VALUES['ModifySet']))
            continue
        parameters = {'assign': source}
        location = draw.pick(locations)
        if draw.one_in(5):
            parameters['pathTests'] = draw.path_tests(location.split('.'))
        mutators.append(on_pods('Assign', name, location, parameters))
    images = [draw.pick(('nginx', 'nginx', 'busybox:1', '', 'é/x', 'a b')) for _ in range(3)]
    spec = {'containers': [{'name': name, **({'image': image} if image else {})}
                           for name, image in zip(('net', 'b', 'c'), images)]}
    for field in 'xy':
        if draw.one_in(3):
            spec[field] = draw.pick(('nginx', 'old', '', 5, None, ['l'], {'m': 'n'}, True))
    keys = sorted({*images, '', 'nginx', 'old', 'bob', 'v'})
    return case(mutators, pod(spec), username=draw.pick(('bob', '', 'system:admin')),
                providers={name: _provider_answer(draw, keys) for name in 'pq'})


ALL = (odd_names, wrong_types, fight, chain, slow_images, numbers, conflicts, invalid,
       circumstances, duplicates, soup, globs,
       own_labels, sets, namespaces, nulls, criteria, external_data)
