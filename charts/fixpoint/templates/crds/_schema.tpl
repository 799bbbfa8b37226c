{{/*
The schemas: what each kind's `spec` and `status` may hold. The fields, types, defaults and
enums of Gatekeeper's groups are those that Gatekeeper's own definitions accept; what only
mutations.fixpoint.dev has stands behind `if .own`. ModRule is as KubeMod's own definition has
it, and MutatingAdmissionPolicy as API servers have it; both have a status besides.
*/}}

{{/* ---- parts --------------------------------------------------------------------- */}}

{{- define "fixpoint.schema.strings" -}}
type: array
items:
  type: string
{{- end }}

{{- define "fixpoint.schema.globs" -}}
type: array
items:
  description: A name; `*` at its beginning or end matches any text.
  type: string
  pattern: ^\*?[-:a-z0-9]*\*?$
{{- end }}

{{- define "fixpoint.schema.operations" -}}
type: array
items:
  description: CREATE, UPDATE, or * for both.
  type: string
  enum:
    - CREATE
    - UPDATE
    - "*"
{{- end }}

{{- define "fixpoint.schema.gvks" -}}
groups:
  description: API groups, exact; "" is the core group. Globs are not possible.
  {{- include "fixpoint.schema.strings" . | nindent 2 }}
versions:
  description: Versions, exact, as the object's own apiVersion says.
  {{- include "fixpoint.schema.strings" . | nindent 2 }}
kinds:
  description: Kinds, exact.
  {{- include "fixpoint.schema.strings" . | nindent 2 }}
{{- end }}

{{- define "fixpoint.schema.applyTo" -}}
applyTo:
  description: >-
    The kinds of objects that the mutator applies to: one entry must match completely. The
    object's own apiVersion and kind count.
  type: array
  items:
    description: Objects of these groups, versions and kinds, on these operations.
    type: object
    properties:
      {{- include "fixpoint.schema.gvks" . | nindent 6 }}
      operations:
        description: The operations; the default is both.
        {{- include "fixpoint.schema.operations" . | nindent 8 }}
{{- end }}

{{- define "fixpoint.schema.selector" -}}
type: object
x-kubernetes-map-type: atomic
properties:
  matchLabels:
    description: Keys with their required values.
    type: object
    additionalProperties:
      type: string
  matchExpressions:
    description: Requirements, all of which must hold.
    type: array
    items:
      description: A requirement for one key.
      type: object
      required:
        - key
        - operator
      properties:
        key:
          description: The key.
          type: string
        operator:
          description: In, NotIn, Exists or DoesNotExist.
          type: string
        values:
          description: The values for In and NotIn, at least one; empty for the other operators.
          {{- include "fixpoint.schema.strings" . | nindent 10 }}
{{- end }}

{{- define "fixpoint.schema.match" -}}
match:
  description: >-
    The objects to mutate: all criteria must match; an absent criterion matches everything. The
    criteria see the object after the preceding mutators.
  type: object
  properties:
    kinds:
      description: One entry must contain the object's group and kind.
      type: array
      items:
        description: Groups and kinds; an empty list, or a list with *, matches all.
        type: object
        properties:
          apiGroups:
            description: API groups; "" is the core group.
            {{- include "fixpoint.schema.strings" . | nindent 12 }}
          kinds:
            description: Kinds.
            {{- include "fixpoint.schema.strings" . | nindent 12 }}
    scope:
      description: Namespaced or Cluster; any other text matches both.
      type: string
    namespaces:
      description: >-
        The object's namespace is one of these; for a Namespace its own name. Matches all
        cluster-scoped objects.
      {{- include "fixpoint.schema.globs" . | nindent 6 }}
    excludedNamespaces:
      description: The object's namespace is none of these; for a Namespace its own name.
      {{- include "fixpoint.schema.globs" . | nindent 6 }}
    labelSelector:
      description: The object's labels match.
      {{- include "fixpoint.schema.selector" . | nindent 6 }}
    namespaceSelector:
      description: >-
        The labels of the object's namespace match; for a Namespace its own labels. Matches all
        cluster-scoped objects.
      {{- include "fixpoint.schema.selector" . | nindent 6 }}
    {{- if .own }}
    annotationSelector:
      description: The object's annotations match; their values may be any text.
      {{- include "fixpoint.schema.selector" . | nindent 6 }}
    {{- end }}
    name:
      description: >-
        The object's name; * at its beginning or end stands for any text. One that ends in
        * also holds where the name is yet to be generated.
      type: string
      pattern: ^\*?[-:a-z0-9]*\*?$
    source:
      description: >-
        Generated: created by an ExpansionTemplate; Original: sent by a client; All, the
        default: both.
      type: string
      enum:
        - All
        - Generated
        - Original
{{- end }}

{{- define "fixpoint.schema.location" -}}
location:
  description: >-
    A location in the object: fields with dots between them, and elements of lists by a key, as
    in `spec.containers[name: app].image`; `[name: *]` selects every element. Characters other
    than letters, digits, - and _ need quotes: `metadata.labels."example.com/team"`.
    {{- if .own }} `[name: * except "istio-proxy"]` excludes elements.{{ end }}
  type: string
{{- end }}

{{- define "fixpoint.schema.pathTests" -}}
pathTests:
  description: >-
    Conditions on the path to the location. If one does not hold at a place, the mutator does
    not change that place.
  type: array
  items:
    description: One condition.
    type: object
    properties:
      subPath:
        description: A beginning of `spec.location`, or all of it.
        type: string
      condition:
        description: Whether a value must exist or must not exist.
        type: string
        enum:
          - MustExist
          - MustNotExist
{{- end }}

{{- define "fixpoint.schema.assign" -}}
assign:
  description: The value that is written; exactly one of these.
  type: object
  properties:
    value:
      description: This value, of any type but null.
      x-kubernetes-preserve-unknown-fields: true
    fromMetadata:
      description: The object's own name or namespace.
      type: object
      properties:
        field:
          description: name, or namespace.
          type: string
    externalData:
      description: A value from a provider of external data.
      type: object
      required:
        - provider
      properties:
        provider:
          description: The name of a Provider.
          type: string
        dataSource:
          description: >-
            The key for the provider: the text at the location, or the name of the user who sent
            the object.
          type: string
          default: ValueAtLocation
          enum:
            - ValueAtLocation
            - Username
        failurePolicy:
          description: >-
            If there is no value: the request fails, the value does not change, or `default` is
            written.
          type: string
          default: Fail
          enum:
            - UseDefault
            - Ignore
            - Fail
        default:
          description: The value for UseDefault, which requires it.
          type: string
    {{- if .own }}
    fromObject:
      description: >-
        A location: the value at this location is written. If it is absent or null, nothing is
        written. Its globs must be the first ones of `spec.location`.
      type: string
    {{- end }}
{{- end }}

{{- define "fixpoint.schema.conditions" -}}
{{- if .own -}}
conditions:
  description: Conditions on other fields of the object; all must hold.
  type: array
  maxItems: 64
  items:
    description: A condition on one location.
    type: object
    required:
      - location
      - operator
    properties:
      location:
        description: >-
          Any location in the object. If it begins like `spec.location`, with the same glob, the
          condition is evaluated for the same element.
        type: string
      operator:
        description: >-
          A value exists or does not exist; a value is one of `values`, or none is; or a string
          matches one of `values` as a regular expression.
        type: string
        enum:
          - Exists
          - DoesNotExist
          - In
          - NotIn
          - Matches
      values:
        description: >-
          For In and NotIn: strings, numbers, booleans and null; for Matches: regular
          expressions. Empty for the other operators.
        type: array
        maxItems: 1024
        items:
          nullable: true
          x-kubernetes-preserve-unknown-fields: true
{{- end }}
{{- end }}

{{- define "fixpoint.schema.error" -}}
type: object
required:
  - message
properties:
  type:
    description: The class of the error; absent if it has none.
    type: string
  message:
    description: The error message.
    type: string
{{- end }}

{{/* The entries of all replicas; `uid` is the field that says whose status it is, and `more`
a template of what stands beside them. */}}
{{- define "fixpoint.schema.byPod" -}}
status:
  description: The status that the replicas report.
  type: object
  properties:
    byPod:
      description: One entry for each replica, which writes only its own entry.
      type: array
      x-kubernetes-list-type: map
      x-kubernetes-list-map-keys:
        - id
      items:
        description: The status that one replica reports.
        type: object
        required:
          - id
        properties:
          id:
            description: The Pod of the replica.
            type: string
          {{ .uid }}:
            description: The uid of the object that the entry describes.
            type: string
          observedGeneration:
            description: The generation of the object that the entry describes.
            type: integer
            format: int64
          operations:
            description: The operations of this replica.
            {{- include "fixpoint.schema.strings" . | nindent 12 }}
          {{- include .entry . | nindent 10 }}
    {{- with get . "more" }}
    {{- include . nil | nindent 4 }}
    {{- end }}
{{- end }}

{{/* As Kubernetes has them everywhere (metav1.Condition): `kubectl wait` knows them. */}}
{{- define "fixpoint.schema.conditionsOfStatus" -}}
conditions:
  description: The combined status of all replicas; one of them writes it.
  type: array
  x-kubernetes-list-type: map
  x-kubernetes-list-map-keys:
    - type
  items:
    description: One condition.
    type: object
    required:
      - type
      - status
      - lastTransitionTime
      - reason
      - message
    properties:
      type:
        description: The type of the condition. `Ready` says whether the object is active.
        type: string
        maxLength: 316
      status:
        description: Whether the condition holds.
        type: string
        enum:
          - "True"
          - "False"
          - Unknown
      observedGeneration:
        description: The generation of the object that the entry describes.
        type: integer
        format: int64
        minimum: 0
      lastTransitionTime:
        description: When `status` last changed.
        type: string
        format: date-time
      reason:
        description: The reason, as one word for programs.
        type: string
        minLength: 1
        maxLength: 1024
        pattern: ^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$
      message:
        description: The reason, as a text.
        type: string
        maxLength: 32768
{{- end }}

{{- define "fixpoint.schema.entry.errors" -}}
errors:
  description: The errors of the object; empty or absent if there are none.
  type: array
  items:
    description: One error.
    {{- include "fixpoint.schema.error" . | nindent 4 }}
{{- end }}

{{- define "fixpoint.schema.entry.mutator" -}}
enforced:
  description: Whether the mutator is active in this replica. Absent means no.
  type: boolean
{{ include "fixpoint.schema.entry.errors" . }}
{{- end }}

{{- define "fixpoint.schema.entry.binding" -}}
enforced:
  description: >-
    Whether the binding does what it says in this replica: its policy is valid, and its parameters
    are found. Absent means no.
  type: boolean
parametersFound:
  description: The number of parameters that are found; absent if the binding needs none.
  type: integer
  format: int64
parameters:
  description: The first ten of these parameters, as NAMESPACE/NAME.
  {{- include "fixpoint.schema.strings" . | nindent 2 }}
{{ include "fixpoint.schema.entry.errors" . }}
{{- end }}

{{- define "fixpoint.schema.entry.provider" -}}
active:
  description: Whether this replica calls the provider.
  type: boolean
errors:
  description: The errors of the provider.
  type: array
  items:
    description: One error.
    type: object
    required:
      - message
    properties:
      type:
        description: The class of the error; absent if it has none.
        type: string
      message:
        description: The error message.
        type: string
      retryable:
        description: Whether a retry may succeed.
        type: boolean
      errorTimestamp:
        description: The time of the error.
        type: string
        format: date-time
lastCacheUpdateTime:
  description: When an answer of the provider was last cached.
  type: string
  format: date-time
lastTransitionTime:
  description: When `active` last changed.
  type: string
  format: date-time
{{- end }}

{{/* ---- kinds --------------------------------------------------------------------- */}}

{{- define "fixpoint.schema.mutator.status" -}}
{{- include "fixpoint.schema.byPod" (dict "uid" "mutatorUID" "entry" "fixpoint.schema.entry.mutator") }}
{{- end }}

{{- define "fixpoint.schema.Assign" -}}
description: Assign writes a value anywhere in an object except in its metadata.
properties:
  spec:
    description: The value, the location, and the objects.
    type: object
    properties:
      {{- include "fixpoint.schema.applyTo" . | nindent 6 }}
      {{- include "fixpoint.schema.match" . | nindent 6 }}
      {{- include "fixpoint.schema.location" . | nindent 6 }}
      {{- with include "fixpoint.schema.conditions" . }}{{ nindent 6 . }}{{ end }}
      parameters:
        description: The value to write.
        type: object
        properties:
          {{- include "fixpoint.schema.assign" . | nindent 10 }}
          {{- include "fixpoint.schema.pathTests" . | nindent 10 }}
  {{- include "fixpoint.schema.mutator.status" . | nindent 2 }}
{{- end }}

{{- define "fixpoint.schema.AssignMetadata" -}}
description: >-
  AssignMetadata adds a label or an annotation that does not exist yet. It never changes an
  existing one.
properties:
  spec:
    description: The label or annotation to add, and the objects.
    type: object
    properties:
      {{- include "fixpoint.schema.match" . | nindent 6 }}
      {{- include "fixpoint.schema.location" . | nindent 6 }}
      {{- if .own }}
      operations:
        description: The operations; the default is both.
        {{- include "fixpoint.schema.operations" . | nindent 8 }}
      {{- end }}
      {{- with include "fixpoint.schema.conditions" . }}{{ nindent 6 . }}{{ end }}
      parameters:
        description: The value to write.
        type: object
        properties:
          {{- include "fixpoint.schema.assign" . | nindent 10 }}
  {{- include "fixpoint.schema.mutator.status" . | nindent 2 }}
{{- end }}

{{- define "fixpoint.schema.ModifySet" -}}
description: >-
  ModifySet adds values to a list or removes them: it treats the list, for example of arguments,
  as a set.
properties:
  spec:
    description: The values, the location, and the objects.
    type: object
    properties:
      {{- include "fixpoint.schema.applyTo" . | nindent 6 }}
      {{- include "fixpoint.schema.match" . | nindent 6 }}
      {{- include "fixpoint.schema.location" . | nindent 6 }}
      {{- with include "fixpoint.schema.conditions" . }}{{ nindent 6 . }}{{ end }}
      parameters:
        description: The values, and the operation on them.
        type: object
        properties:
          operation:
            description: >-
              merge appends the missing values; prune removes the elements that equal one of the
              values.
            type: string
            default: merge
            enum:
              - merge
              - prune
          values:
            description: The values.
            type: object
            x-kubernetes-preserve-unknown-fields: true
            properties:
              fromList:
                description: These values, of any type.
                type: array
                items:
                  x-kubernetes-preserve-unknown-fields: true
          {{- include "fixpoint.schema.pathTests" . | nindent 10 }}
  {{- include "fixpoint.schema.mutator.status" . | nindent 2 }}
{{- end }}

{{- define "fixpoint.schema.AssignImage" -}}
description: AssignImage replaces parts of an image reference.
properties:
  spec:
    description: The new parts, the location, and the objects.
    type: object
    properties:
      {{- include "fixpoint.schema.applyTo" . | nindent 6 }}
      {{- include "fixpoint.schema.match" . | nindent 6 }}
      {{- include "fixpoint.schema.location" . | nindent 6 }}
      {{- with include "fixpoint.schema.conditions" . }}{{ nindent 6 . }}{{ end }}
      parameters:
        description: The new parts; at least one. Parts that are not given do not change.
        type: object
        properties:
          assignDomain:
            description: The registry, with a dot in it, or localhost; with a port or without.
            type: string
          assignPath:
            description: The path after the registry, in lower case.
            type: string
          assignTag:
            description: The tag or digest, with its separator, as in `:1.4`, `@sha256:…`.
            type: string
          {{- if .own }}
          onlyIf:
            description: >-
              The images to change, by their present parts: each given list must contain the
              part. "" means that the part is missing.
            type: object
            properties:
              domains:
                description: Registries, exact.
                maxItems: 1024
                {{- include "fixpoint.schema.strings" . | nindent 16 }}
              paths:
                description: Paths, exact.
                maxItems: 1024
                {{- include "fixpoint.schema.strings" . | nindent 16 }}
              tags:
                description: Tags and digests, exact, with their separator.
                maxItems: 1024
                {{- include "fixpoint.schema.strings" . | nindent 16 }}
          {{- end }}
          {{- include "fixpoint.schema.pathTests" . | nindent 10 }}
  {{- include "fixpoint.schema.mutator.status" . | nindent 2 }}
{{- end }}

{{- define "fixpoint.schema.Remove" -}}
description: Remove removes a field, or elements of a list.
properties:
  spec:
    description: The location to remove, and the objects.
    type: object
    properties:
      {{- include "fixpoint.schema.applyTo" . | nindent 6 }}
      {{- include "fixpoint.schema.match" . | nindent 6 }}
      {{- include "fixpoint.schema.location" . | nindent 6 }}
      {{- with include "fixpoint.schema.conditions" . }}{{ nindent 6 . }}{{ end }}
      parameters:
        description: Parameters of the removal.
        type: object
        properties:
          {{- include "fixpoint.schema.pathTests" . | nindent 10 }}
  {{- include "fixpoint.schema.mutator.status" . | nindent 2 }}
{{- end }}

{{- define "fixpoint.schema.Provider" -}}
description: Provider configures a provider of external data.
properties:
  spec:
    description: The address of the provider, and the CA to trust.
    type: object
    properties:
      url:
        description: The URL of the provider, https://…
        type: string
      timeout:
        description: The time limit of one request in seconds; the default is 5.
        type: integer
      caBundle:
        description: >-
          CA certificates, PEM in base64. One of these CAs must have issued the provider's
          certificate.
        type: string
  {{- include "fixpoint.schema.byPod" (dict "uid" "providerUID" "entry" "fixpoint.schema.entry.provider") | nindent 2 }}
{{- end }}

{{- define "fixpoint.schema.gvk" -}}
group:
  description: The API group; "" is the core group.
  type: string
version:
  description: The version.
  type: string
kind:
  description: The kind.
  type: string
{{- end }}

{{- define "fixpoint.schema.Config" -}}
description: Config excludes namespaces. Only the Config named `config` has any effect.
properties:
  spec:
    description: The exclusions. All fields except `match` concern only Gatekeeper.
    type: object
    properties:
      match:
        description: The namespaces that each process ignores.
        type: array
        items:
          description: These processes ignore these namespaces.
          type: object
          properties:
            processes:
              description: mutation-webhook, or * for all; other processes concern Gatekeeper.
              {{- include "fixpoint.schema.strings" . | nindent 14 }}
            excludedNamespaces:
              description: The namespaces.
              {{- include "fixpoint.schema.globs" . | nindent 14 }}
      sync:
        description: The objects that Gatekeeper caches.
        type: object
        properties:
          syncOnly:
            description: Only these kinds.
            type: array
            items:
              description: One kind.
              type: object
              properties:
                {{- include "fixpoint.schema.gvk" . | nindent 16 }}
      validation:
        description: How Gatekeeper validates.
        type: object
        properties:
          traces:
            description: The requests that Gatekeeper traces.
            type: array
            items:
              description: Requests of one user about one kind.
              type: object
              properties:
                user:
                  description: The user.
                  type: string
                kind:
                  description: The kind.
                  type: object
                  properties:
                    {{- include "fixpoint.schema.gvk" . | nindent 20 }}
                dump:
                  description: All also dumps the whole state.
                  type: string
      readiness:
        description: How Gatekeeper reports readiness.
        type: object
        properties:
          statsEnabled:
            description: Whether it logs its progress.
            type: boolean
  {{- include "fixpoint.schema.byPod" (dict "uid" "configUID" "entry" "fixpoint.schema.entry.errors") | nindent 2 }}
{{- end }}

{{- define "fixpoint.schema.ExpansionTemplate" -}}
description: >-
  ExpansionTemplate describes the objects that a controller will create from an object.
properties:
  spec:
    description: The objects to expand, and the generated kind.
    type: object
    properties:
      applyTo:
        description: The objects to expand.
        type: array
        items:
          description: Objects of these groups, versions and kinds.
          type: object
          properties:
            {{- include "fixpoint.schema.gvks" . | nindent 12 }}
      templateSource:
        description: >-
          The location of the template in the object: fields with dots between them, as in
          spec.template.
        type: string
      generatedGVK:
        description: The generated kind.
        type: object
        properties:
          {{- include "fixpoint.schema.gvk" . | nindent 10 }}
      enforcementAction:
        description: What Gatekeeper's validation does about violations in the generated object.
        type: string
  {{- include "fixpoint.schema.byPod" (dict "uid" "templateUID" "entry" "fixpoint.schema.entry.errors") | nindent 2 }}
{{- end }}

{{- define "fixpoint.schema.ModRule.match" -}}
match:
  description: >-
    Conditions on the object; all items must hold. An expression sees the object after the rules
    of lower tiers, with `syntheticRefs`: its namespace, and the node of a Pod.
  type: array
  minItems: 1
  items:
    description: >-
      One condition on the object. The results of `select` are compared with matchValue; without
      it, with matchValues; without both, with matchRegex; without all three, the item holds if
      there is a result.
    type: object
    required:
      - select
    properties:
      select:
        description: >-
          A JSONPath expression, such as `$.spec.containers[*].image`, or a boolean expression,
          such as `length($.spec.containers) > 1`, whose value decides.
        type: string
        minLength: 1
      matchFor:
        description: Whether any or all of several results must match.
        type: string
        default: Any
        enum:
          - Any
          - All
      matchValue:
        description: The result equals this text.
        type: string
        nullable: true
      matchValues:
        description: The result is one of these texts.
        {{- include "fixpoint.schema.strings" . | nindent 8 }}
      matchRegex:
        description: >-
          The result matches this regular expression (RE2, anywhere in the text unless it has
          anchors).
        type: string
        nullable: true
      negate:
        description: Negates the item, also if there is no result.
        type: boolean
{{- end }}

{{- define "fixpoint.schema.ModRule.patch" -}}
patch:
  description: >-
    The operations on the object, in this order: JSON Patch, with `select` and templates. All
    operations are computed before the first one is applied. If one fails, the whole rule is
    skipped.
  type: array
  items:
    description: One operation; with `select` one for each result.
    type: object
    required:
      - op
      - path
    properties:
      op:
        description: >-
          add writes a field, or inserts into a list (the key `-` appends); it creates missing
          parents. replace and remove require that the field exists.
        type: string
        enum:
          - add
          - replace
          - remove
      path:
        description: >-
          The location as a JSON Pointer: /metadata/labels/team. With `select`, #0, #1, … are
          the keys or indexes that its first, second, … wildcard or filter found:
          /spec/containers/#0/image.
        type: string
      select:
        description: A JSONPath with wildcards and filters, such as `$.spec.containers[*]`.
        type: string
        minLength: 1
        nullable: true
      value:
        description: >-
          The value, as YAML: a Go template, with `.Target` (the object), `.Namespace` (its
          namespace), `.SelectedItem` (the result of `select`), and the Sprig functions.
        type: string
        nullable: true
{{- end }}

{{- define "fixpoint.schema.ModRule" -}}
description: >-
  ModRule changes or rejects objects at admission. It applies to the objects of its own
  namespace; a ModRule in the cluster namespace applies to cluster-scoped objects, or to the
  namespaces that it names.
required:
  - spec
properties:
  spec:
    description: The objects, and the operations on them.
    type: object
    required:
      - type
      - match
    properties:
      type:
        description: Patch changes matching objects; Reject rejects them.
        type: string
        enum:
          - Patch
          - Reject
      executionTier:
        description: >-
          Rules of lower tiers run first, and rules of higher tiers match against their result.
          All rules of a tier are matched before the first one is applied.
        type: integer
        default: 0
        minimum: -32767
        maximum: 32766
      admissionOperations:
        description: >-
          The operations. Only rules of type Reject apply to DELETE, because a deletion has no
          object to patch.
        type: array
        default:
          - CREATE
          - UPDATE
        items:
          description: One operation.
          type: string
          enum:
            - CREATE
            - UPDATE
            - DELETE
      {{- include "fixpoint.schema.ModRule.match" . | nindent 6 }}
      {{- include "fixpoint.schema.ModRule.patch" . | nindent 6 }}
      rejectMessage:
        description: >-
          The message to the sender of a rejected object: a template as in `patch`, with
          `.Target` and `.Namespace`. Only with type Reject.
        type: string
        nullable: true
      targetNamespaceRegex:
        description: >-
          In the cluster namespace: the rule applies to objects whose namespace matches this
          regular expression (`^(a|b)$` for two namespaces); if it matches the empty text, also
          to cluster-scoped objects. Absent: only to cluster-scoped objects. In other namespaces
          it has no effect.
        type: string
        nullable: true
  {{- include "fixpoint.schema.byPod" (dict "uid" "mutatorUID" "entry" "fixpoint.schema.entry.mutator" "more" "fixpoint.schema.conditionsOfStatus") | nindent 2 }}
{{- end }}

{{/* ---- MutatingAdmissionPolicy: as an API server has it, with a status ------------ */}}

{{/* A list of texts, at least one. */}}
{{- define "fixpoint.schema.admission.texts" -}}
type: array
minItems: 1
items:
  type: string
  minLength: 1
{{- end }}

{{/* Rules about resources; `operations` are the words that they may name. */}}
{{- define "fixpoint.schema.admission.rules" -}}
type: array
items:
  description: Requests; each list must contain the request's value, or `*`.
  type: object
  required:
    - apiGroups
    - apiVersions
    - operations
    - resources
  properties:
    apiGroups:
      description: API groups; "" is the core group.
      type: array
      minItems: 1
      items:
        type: string
    apiVersions:
      description: Versions.
      {{- include "fixpoint.schema.admission.texts" . | nindent 6 }}
    operations:
      description: The operations.
      type: array
      minItems: 1
      items:
        description: One operation, or * for all.
        type: string
        enum:
          {{- range .operations }}
          - {{ . | quote }}
          {{- end }}
    resources:
      description: >-
        Resources in the plural, such as pods, and subresources, such as pods/status; pods/* is
        pods with all subresources, */scale the subresource of all resources.
      {{- include "fixpoint.schema.admission.texts" . | nindent 6 }}
    resourceNames:
      description: Names of objects; empty matches all.
      {{- include "fixpoint.schema.strings" . | nindent 6 }}
    scope:
      description: Only namespaced or only cluster-scoped resources; a Namespace is cluster-scoped.
      type: string
      default: "*"
      enum:
        - "*"
        - Cluster
        - Namespaced
{{- end }}

{{/* What matchConstraints and matchResources have. */}}
{{- define "fixpoint.schema.admission.match" -}}
excludeResourceRules:
  description: Requests that are excluded, although a rule matches.
  {{- include "fixpoint.schema.admission.rules" . | nindent 2 }}
namespaceSelector:
  description: >-
    The labels of the object's namespace match; for a Namespace its own labels. Matches all
    other cluster-scoped objects.
  default: {}
  {{- include "fixpoint.schema.selector" . | nindent 2 }}
objectSelector:
  description: The labels of the object match, or those of the old object.
  default: {}
  {{- include "fixpoint.schema.selector" . | nindent 2 }}
matchPolicy:
  description: >-
    Equivalent: the rules also match requests for the same resource in another group or version.
    Exact: they do not.
  type: string
  default: Equivalent
  enum:
    - Equivalent
    - Exact
{{- end }}

{{/* Expressions with names. */}}
{{- define "fixpoint.schema.admission.named" -}}
type: object
required:
  - name
  - expression
properties:
  name:
    description: {{ .name }}
    type: string
    minLength: 1
  expression:
    description: {{ .expression }}
    type: string
    minLength: 1
{{- end }}

{{- define "fixpoint.schema.admission.mutations" -}}
mutations:
  description: The mutations, in this order; each sees the result of the preceding one.
  type: array
  minItems: 1
  maxItems: 1024
  items:
    description: One mutation, with the field of its type.
    type: object
    required:
      - patchType
    properties:
      patchType:
        description: >-
          ApplyConfiguration merges a part of an object into the object; JSONPatch applies
          operations.
        type: string
        enum:
          - ApplyConfiguration
          - JSONPatch
      applyConfiguration:
        description: The part of an object to merge; only with patchType ApplyConfiguration.
        type: object
        required:
          - expression
        properties:
          expression:
            description: >-
              A CEL expression of type Object, such as `Object{spec: Object.spec{replicas: 3}}`.
            type: string
            minLength: 1
      jsonPatch:
        description: The operations; only with patchType JSONPatch.
        type: object
        required:
          - expression
        properties:
          expression:
            description: >-
              A CEL expression whose value is a list of JSONPatch, such as
              `[JSONPatch{op: "add", path: "/spec/replicas", value: 3}]`.
            type: string
            minLength: 1
{{- end }}

{{/* What Kubernetes' own kinds have in the status of a policy. */}}
{{- define "fixpoint.schema.typeChecking" -}}
observedGeneration:
  description: The generation of the policy whose types were checked.
  type: integer
  format: int64
typeChecking:
  description: >-
    Expressions that do not fit the types of the objects that the policy matches. The policy is
    active all the same.
  type: object
  properties:
    expressionWarnings:
      description: One warning for each expression.
      type: array
      x-kubernetes-list-type: atomic
      items:
        description: What is wrong with one expression.
        type: object
        required:
          - fieldRef
          - warning
        properties:
          fieldRef:
            description: The field of the expression.
            type: string
          warning:
            description: The mistakes, with a line for each kind of objects.
            type: string
{{- end }}

{{- define "fixpoint.schema.MutatingAdmissionPolicy" -}}
description: >-
  MutatingAdmissionPolicy changes objects by CEL expressions, as Kubernetes' own kind of this
  name does. A MutatingAdmissionPolicyBinding of the same group activates it.
required:
  - spec
properties:
  spec:
    description: The objects, and the mutations.
    type: object
    required:
      - matchConstraints
      - mutations
      - reinvocationPolicy
    properties:
      paramKind:
        description: >-
          The kind of the parameters, which expressions see as `params`; the bindings choose the
          objects.
        type: object
        required:
          - apiVersion
          - kind
        properties:
          apiVersion:
            description: The group and version, such as v1 or example.com/v1.
            type: string
            minLength: 1
          kind:
            description: The kind.
            type: string
            minLength: 1
      matchConstraints:
        description: The requests that the policy applies to; all criteria must match.
        type: object
        required:
          - resourceRules
        properties:
          resourceRules:
            description: One of these rules must match.
            minItems: 1
            {{- include "fixpoint.schema.admission.rules" (dict "operations" (list "CREATE" "UPDATE" "CONNECT" "*")) | nindent 12 }}
          {{- include "fixpoint.schema.admission.match" (dict "operations" (list "CREATE" "UPDATE" "DELETE" "CONNECT" "*")) | nindent 10 }}
      matchConditions:
        description: Conditions on the request; if one is false, the policy does nothing.
        type: array
        maxItems: 64
        x-kubernetes-list-type: map
        x-kubernetes-list-map-keys:
          - name
        items:
          description: One condition.
          {{- include "fixpoint.schema.admission.named" (dict "name" "The name of the condition." "expression" "A CEL expression of type bool.") | nindent 10 }}
      variables:
        description: >-
          Values for the mutations, computed when they are first used; each may use the
          preceding ones.
        type: array
        maxItems: 1024
        items:
          description: One variable.
          {{- include "fixpoint.schema.admission.named" (dict "name" "The name, a CEL identifier; expressions use `variables.NAME`." "expression" "A CEL expression of any type.") | nindent 10 }}
      {{- include "fixpoint.schema.admission.mutations" . | nindent 6 }}
      failurePolicy:
        description: >-
          Fail rejects the request if the policy fails; Ignore skips the mutation that failed.
        type: string
        default: Fail
        enum:
          - Fail
          - Ignore
      reinvocationPolicy:
        description: >-
          Never: the policy runs at most once per request. IfNeeded: it may run twice.
        type: string
        enum:
          - IfNeeded
          - Never
  {{- include "fixpoint.schema.byPod" (dict "uid" "mutatorUID" "entry" "fixpoint.schema.entry.mutator" "more" "fixpoint.schema.typeChecking") | nindent 2 }}
{{- end }}

{{- define "fixpoint.schema.MutatingAdmissionPolicyBinding" -}}
description: >-
  MutatingAdmissionPolicyBinding activates a MutatingAdmissionPolicy, gives it parameters, and
  may restrict it further.
required:
  - spec
properties:
  spec:
    description: The policy, its parameters, and its objects.
    type: object
    required:
      - policyName
    properties:
      policyName:
        description: The name of the policy. A binding to a policy that does not exist has no effect; its status says so.
        type: string
        minLength: 1
      paramRef:
        description: >-
          The parameters: the object `name`, or all objects that `selector` matches. The
          mutations run once for each.
        type: object
        properties:
          name:
            description: The name of the object. Exactly one of `name` and `selector` is given.
            type: string
          namespace:
            description: The namespace of the parameters; absent means that of the request.
            type: string
          selector:
            description: The labels of the parameters match; `{}` matches all.
            {{- include "fixpoint.schema.selector" . | nindent 12 }}
          parameterNotFoundAction:
            description: >-
              If there is no parameter: Deny is a failure of the policy, Allow skips the binding.
            type: string
            default: Deny
            enum:
              - Allow
              - Deny
      matchResources:
        description: Further criteria on the request; absent matches all.
        type: object
        properties:
          resourceRules:
            description: One of these rules must match; without rules, all requests do.
            {{- include "fixpoint.schema.admission.rules" (dict "operations" (list "CREATE" "UPDATE" "DELETE" "CONNECT" "*")) | nindent 12 }}
          {{- include "fixpoint.schema.admission.match" (dict "operations" (list "CREATE" "UPDATE" "DELETE" "CONNECT" "*")) | nindent 10 }}
  {{- include "fixpoint.schema.byPod" (dict "uid" "mutatorUID" "entry" "fixpoint.schema.entry.binding") | nindent 2 }}
{{- end }}

{{/* Kyverno's kinds have many fields, of which Fixpoint reads some: the webhook checks these, and
the definition keeps all. */}}
{{- define "fixpoint.schema.kyverno" -}}
description: A policy of Kyverno, or an exception. Fixpoint runs its mutate rules.
properties:
  spec:
    description: As in Kyverno. The validating webhook checks what Fixpoint reads.
    type: object
    x-kubernetes-preserve-unknown-fields: true
  status:
    description: Not written by Fixpoint.
    type: object
    x-kubernetes-preserve-unknown-fields: true
{{- end }}
