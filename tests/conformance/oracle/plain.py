# SPDX-License-Identifier: Apache-2.0
"""Random cases of the ordinary kind: mutators and objects as users write them, wrong types
and invalid policies among them."""
GROUPS = {'Pod': '', 'Namespace': '', 'Deployment': 'apps', 'Widget': 'example.com',
          'ClusterRole': 'rbac.authorization.k8s.io'}
LABELS = {'app': ('web', 'db', 'cache'), 'tier': ('front', 'back'), 'mutate': ('yes', 'no'),
          'env': ('dev', 'prod')}
NAMESPACES = ('shop', 'shop-dev', 'team-a', 'kube-system', 'x')
NAMESPACE_GLOBS = ('shop', 'shop*', '*-dev', 'team-*', 'team-a', 'kube-*', '*', '*o*')
NAMES = ('web', 'web-0', 'a', 'cache-1', 'db')
FIELDS = ('a', 'b', 'c', 'args', 'image', 'nodeSelector', 'hostNetwork', '5', 'weird.field',
          'with space')
LISTS = ('containers', 'initContainers', 'volumes', 'items')
KEYS = ('web', 'log', 'sidecar', 'x y')
SCALARS = ('v', 'w', '', 'true', '12', 'Always', 'é', True, False)
DIGEST = '@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef'
IMAGES = ('nginx', 'nginx:1.25', 'repo/app', 'localhost/x', 'localhost:5000/x/y:1', 'a', '',
          'x@y:z', 'UPPER/x:1', 'my.reg:80/a/b', 'docker.io/library/nginx:1.25',
          'gcr.io/p/q' + DIGEST, 'n@x/y', 'a/b/c:1@sha256:2', '/', ':', 'é/x', 'a.b/')
ARGS = ('-x', '--v=2', 'a b', '', '--alsologtostderr', {'k': 'v'}, ['-x'], None)
DOMAINS = ('localhost', 'gcr.io', 'my.reg:80', 'localhost:1')
PATHS = ('library/busybox', 'a', 'a__b/c-d', 'a.b')
TAGS = (':1', ':latest', DIGEST, ':v_1.2-3')
BAD_PARTS = (('assignDomain', 'bad_domain'), ('assignDomain', 'x'), ('assignPath', 'x/Y'),
             ('assignPath', 'my.lib/app'), ('assignTag', '1'), ('assignTag', ':'),
             ('assignDomain', 'a.b:'), ('assignPath', 'a//b'), ('assignPath', 'a_-b'),
             ('assignTag', ':1\n'), ('assignTag', '@sha256:12'))


class Plain:
    """Draws ordinary things from one source of chance."""

    def __init__(self, chance):
        self.chance = chance

    def one_in(self, n):
        """True once in n."""
        return self.chance.randrange(n) == 0

    def pick(self, values):
        """One of the values."""
        return self.chance.choice(values)

    def some(self, values, least=1):
        """A few of the values, in any order."""
        return self.chance.sample(values, self.chance.randint(least, len(values)))

    # ---- values -------------------------------------------------------------------

    def value(self, depth=0):
        """Any JSON value that `assign.value` may have."""
        if depth > 2 or not self.one_in(4):
            return self.pick(SCALARS)
        if self.one_in(2):
            return [self.value(depth + 1) for _ in range(self.chance.randrange(4))]
        return {self.pick(FIELDS): self.value(depth + 1)
                for _ in range(self.chance.randrange(4))}

    def args(self):
        """A list of arguments, with duplicates."""
        return [self.pick(ARGS[:6]) for _ in range(self.chance.randrange(5))]

    def labels(self):
        """A few labels."""
        return {key: self.pick(LABELS[key]) for key in LABELS if self.one_in(2)}

    # ---- objects ------------------------------------------------------------------

    def element(self, key):
        """An element of a list, or something that has no business there."""
        if self.one_in(60):
            return self.pick(('s', None, [], True, {}))
        element = {} if self.one_in(15) else {key: self.pick(KEYS)}
        if not self.one_in(3):
            element['image'] = self.value() if self.one_in(12) else self.pick(IMAGES[:12])
        if self.one_in(3):
            element['args'] = self.value() if self.one_in(20) else self.args()
        if self.one_in(4):
            element['env'] = [{'name': self.pick(('A', 'log')), 'value': self.value()}
                              for _ in range(self.chance.randrange(3))]
        if self.one_in(6):
            element[self.pick(FIELDS)] = self.value()
        return element

    def spec(self):
        """The body of an object."""
        spec = {}
        for name in LISTS:
            if self.one_in(2):
                key = self.pick(('id', 'name')) if name == 'items' else 'name'
                spec[name] = [self.element(key) for _ in range(self.chance.randrange(4))]
            elif self.one_in(20):
                spec[name] = self.pick((None, {}, 'str', True))
        for name in self.some(FIELDS, 0)[:3]:
            spec[name] = self.args() if name == 'args' else self.value()
        return spec

    def thing(self):
        """An object, and the Namespace that accompanies it."""
        kind = self.pick(('Pod', 'Pod', 'Deployment', 'Deployment', 'Widget', 'ClusterRole',
                          'Namespace'))
        space = self.pick(NAMESPACES)
        name = space if kind == 'Namespace' else self.pick(NAMES)
        meta = {'generateName': f'{name}-'} if self.one_in(10) else {'name': name}
        spaced = kind not in ('Namespace', 'ClusterRole')
        if spaced:
            meta['namespace'] = space
        if not self.one_in(3):
            meta['labels'] = self.labels()
        if self.one_in(3):
            meta['annotations'] = {'a.b/c': 'old', 'note': 'old'}
        group = GROUPS[kind]
        thing = {'apiVersion': f'{group}/v1' if group else 'v1', 'kind': kind,
                 'metadata': meta}
        if not self.one_in(15):
            thing['spec'] = self.spec()
        return thing, self.namespace(space) if spaced else None

    def namespace(self, name):
        """A Namespace object."""
        return {'apiVersion': 'v1', 'kind': 'Namespace',
                'metadata': {'name': name, 'labels': self.labels()}}

    # ---- match and applyTo ----------------------------------------------------------

    def selector(self):
        """A label selector, valid nearly always."""
        selector = {}
        if self.one_in(2):
            selector['matchLabels'] = {key: self.pick(LABELS[key])
                                       for key in self.some(list(LABELS), 0)[:2]}
        if self.one_in(2):
            selector['matchExpressions'] = [self.requirement()
                                            for _ in range(self.chance.randrange(3))]
        return selector

    def requirement(self):
        """One of `matchExpressions`."""
        key = self.pick(list(LABELS))
        operator = self.pick(('In', 'NotIn', 'Exists', 'DoesNotExist'))
        values = {'values': self.some(LABELS[key])} if 'In' in operator else {}
        return {'key': key, 'operator': operator, **values}

    def match(self):
        """`spec.match`."""
        makers = {
            'kinds': lambda: [{'apiGroups': self.pick(([''], ['*'], ['apps'], ['', 'apps'],
                                                       ['example.com'])),
                               'kinds': self.pick((['Pod'], ['*'], ['Deployment', 'Pod'],
                                                   ['Widget'], ['Namespace']))}
                              for _ in range(self.chance.randint(1, 2))],
            'scope': lambda: self.pick(('*', 'Namespaced', 'Cluster', 'cluster')),
            'namespaces': lambda: self.some(NAMESPACE_GLOBS)[:2],
            'excludedNamespaces': lambda: self.some(NAMESPACE_GLOBS)[:2],
            'labelSelector': self.selector,
            'namespaceSelector': self.selector,
            'name': lambda: self.pick(('*', 'a*', 'web', 'web-*', '*-0', 'db', '*b*', '')),
            'source': lambda: self.pick(('All', 'Original', 'Original', 'Generated')),
        }
        return {key: makers[key]() for key in makers if self.one_in(7)}

    def apply_to(self):
        """`spec.applyTo`."""
        entries = [{'groups': [GROUPS[kind]], 'versions': ['v1'], 'kinds': [kind]}
                   for kind in self.some(('Pod', 'Deployment', 'Widget'))]
        if self.one_in(4):
            entries[0]['operations'] = self.pick((['CREATE'], ['UPDATE'], ['*'], [],
                                                  ['CREATE', 'UPDATE']))
        return entries

    # ---- locations ------------------------------------------------------------------

    def name(self, name):
        """A field's name as it may be written."""
        quotes = ("'", '"') if name in ('5', 'weird.field', 'with space') else \
            ('', '', '', "'", '"')
        quote = self.pick(quotes)
        return f'{quote}{name}{quote}'

    def list_spec(self, key, values):
        """`[name: web]`, blanks and quotes as they come."""
        value = self.pick(values)
        if value == 'x y':
            value = self.pick(('"x y"', "'x y'"))
        elif value != '*' and self.one_in(6):
            value = f'"{value}"'
        return f'[{self.pick(("", "", " "))}{key}:{self.pick(("", " ", " "))}{value}]'

    def steps(self):
        """The steps of a location beneath spec, as text."""
        if self.one_in(3):
            return [self.name(self.pick(FIELDS)) for _ in range(self.chance.randint(1, 2))]
        name = self.pick(LISTS)
        key = self.pick(('id', 'name')) if name == 'items' or self.one_in(8) else 'name'
        steps = [name + self.list_spec(key, KEYS + ('*', '*', '*'))]
        if self.one_in(8):
            steps.append('env' + self.list_spec('name', ('A', 'log', '*')))
        return steps + [self.name(self.pick(FIELDS))
                        for _ in range(self.pick((0, 1, 1, 1, 2)))]

    def location(self):
        """The text of a location, and its steps."""
        root = 'status' if self.one_in(40) else 'spec'
        return [root] + self.steps()

    def path_tests(self, steps):
        """Path tests on prefixes of a location."""
        tests = []
        for _ in range(self.chance.randint(1, 3)):
            prefix = '.'.join(steps[:self.chance.randint(1, len(steps))])
            if prefix.endswith(']') and self.one_in(2):
                prefix = prefix[:prefix.rindex('[')]
            condition = self.pick(('MustExist', 'MustNotExist'))
            tests.append({'subPath': prefix, 'condition': condition})
        if self.one_in(12):
            self.pick(tests)['condition'] = self.pick(('', 'Maybe', 'Exists', 'mustExist'))
        return tests

    # ---- mutators -------------------------------------------------------------------

    def assigned(self, steps):
        """`parameters.assign`."""
        if self.one_in(7):
            return {'fromMetadata': {'field': self.pick(('name', 'namespace'))}}
        last = steps[-1].partition('[')[2]
        if last and not self.one_in(8):
            key, _, value = last[:-1].partition(':')
            element = {'zz': self.pick(KEYS), key.strip(): value.strip().strip('\'"')}
            return {'value': {**element, **self.pick(({}, {'image': 'a'}))}}
        return {'value': self.value()}

    def parameters(self, kind, steps):
        """`spec.parameters` of the kinds with path tests."""
        if kind == 'Assign':
            parameters = {'assign': self.assigned(steps)}
        elif kind == 'ModifySet':
            parameters = {'operation': self.pick(('merge', 'merge', 'prune')),
                          'values': {'fromList': self.args()}}
        else:
            parts = {'assignDomain': DOMAINS, 'assignPath': PATHS, 'assignTag': TAGS}
            parameters = {part: self.pick(parts[part]) for part in self.some(list(parts))}
            parameters.update([self.pick(BAD_PARTS)] if self.one_in(10) else [])
        if self.one_in(4):
            parameters['pathTests'] = self.path_tests(steps)
        return parameters

    def metadata_spec(self):
        """The spec of an AssignMetadata."""
        where = self.pick(('labels', 'annotations'))
        name = self.pick(('owner', 'app', 'tier', 'note', "'a.b/c'", '"a.b/c"', "'app'"))
        value = {'value': self.pick(('v', 'w', 'x', ''))}
        if self.one_in(6):
            value = {'fromMetadata': {'field': self.pick(('name', 'namespace'))}}
        return {'location': f'metadata.{where}.{name}', 'parameters': {'assign': value}}

    def kind_spec(self, kind):
        """The spec of another kind."""
        steps = self.location()
        if kind in ('ModifySet', 'AssignImage'):
            if not self.one_in(5):
                steps[-1:] = [steps[-1]] if len(steps) < 2 else []
                steps.append('args' if kind == 'ModifySet' else 'image')
        return {'applyTo': self.apply_to(), 'location': '.'.join(steps),
                'parameters': self.parameters(kind, steps)}

    def mutator(self, index, kind=None):
        """A whole policy."""
        kind = kind or self.pick(('Assign',) * 5 + ('AssignMetadata',) * 2 +
                                 ('ModifySet',) * 2 + ('AssignImage',))
        spec = self.metadata_spec() if kind == 'AssignMetadata' else self.kind_spec(kind)
        if self.one_in(2):
            spec = {'match': self.match(), **spec}
        return policy(kind, self.pick('abcz') + str(index), spec,
                      self.pick(('v1', 'v1beta1', 'v1alpha1')))

    def case(self):
        """A whole case, without what is expected."""
        count = self.pick((1, 1, 2, 2, 3, 4, 6, 9))
        thing, namespace = self.thing()
        return {'mutators': [self.mutator(index) for index in range(count)],
                'object': thing, 'namespace': namespace,
                'operation': self.pick(('CREATE', 'CREATE', 'UPDATE'))}


def policy(kind, name, spec, version='v1'):
    """A policy's document."""
    version = 'v1alpha1' if kind == 'AssignImage' else version
    return {'apiVersion': f'mutations.gatekeeper.sh/{version}', 'kind': kind,
            'metadata': {'name': name}, 'spec': spec}
