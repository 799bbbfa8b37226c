{{/*
The schemas: what each kind's `spec` and `status` may hold. The fields, types, defaults and
enums of Gatekeeper's groups are those that Gatekeeper's own definitions accept; what only
mutations.fixpoint.dev has stands behind `if .own`. ModRule is as KubeMod's own definition has
it, and has a status besides.
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
  description: A name; `*` at its beginning or end stands for any text.
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
    Which objects it is about: one entry has to fit whole. The object's own apiVersion and
    kind count.
  type: array
  items:
    description: Objects of these groups, versions and kinds, at these operations.
    type: object
    properties:
      {{- include "fixpoint.schema.gvks" . | nindent 6 }}
      operations:
        description: At which operations; none given is both.
        {{- include "fixpoint.schema.operations" . | nindent 8 }}
{{- end }}

{{- define "fixpoint.schema.selector" -}}
type: object
x-kubernetes-map-type: atomic
properties:
  matchLabels:
    description: Keys with the value that each must have.
    type: object
    additionalProperties:
      type: string
  matchExpressions:
    description: Requirements, all of which must hold.
    type: array
    items:
      description: What must hold of one key.
      type: object
      required:
        - key
        - operator
      properties:
        key:
          description: The key that it is about.
          type: string
        operator:
          description: In, NotIn, Exists or DoesNotExist.
          type: string
        values:
          description: The values of In and NotIn, at least one; none with the others.
          {{- include "fixpoint.schema.strings" . | nindent 10 }}
{{- end }}

{{- define "fixpoint.schema.match" -}}
match:
  description: >-
    Which objects it mutates: all criteria together; one that is left out holds for
    everything. The object is seen as the mutators before left it.
  type: object
  properties:
    kinds:
      description: One entry must hold the object's group and kind.
      type: array
      items:
        description: Groups and kinds; an empty list, and * in one, hold all.
        type: object
        properties:
          apiGroups:
            description: API groups; "" is the core group.
            {{- include "fixpoint.schema.strings" . | nindent 12 }}
          kinds:
            description: Kinds.
            {{- include "fixpoint.schema.strings" . | nindent 12 }}
    scope:
      description: Namespaced, or Cluster; any other text holds for both.
      type: string
    namespaces:
      description: >-
        The object's namespace is one of these; for a Namespace its own name. Holds for
        what is in no namespace.
      {{- include "fixpoint.schema.globs" . | nindent 6 }}
    excludedNamespaces:
      description: The object's namespace is none of these; for a Namespace its own name.
      {{- include "fixpoint.schema.globs" . | nindent 6 }}
    labelSelector:
      description: The object's labels fit.
      {{- include "fixpoint.schema.selector" . | nindent 6 }}
    namespaceSelector:
      description: >-
        The labels of the object's namespace fit; for a Namespace its own. Holds for what
        is in no namespace.
      {{- include "fixpoint.schema.selector" . | nindent 6 }}
    {{- if .own }}
    annotationSelector:
      description: The object's annotations fit, whose values may be any text.
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
        Generated: made by an ExpansionTemplate; Original: sent by somebody; All, the
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
    Where in the object: fields with dots between them, elements of lists by a key, as in
    `spec.containers[name: app].image`; `[name: *]` stands for every element. Other
    characters than letters, digits, - and _ want quotes:
    `metadata.labels."example.com/team"`.
    {{- if .own }} `[name: * except "istio-proxy"]` leaves elements out.{{ end }}
  type: string
{{- end }}

{{- define "fixpoint.schema.pathTests" -}}
pathTests:
  description: >-
    Conditions on the way to the location. Where one does not hold, that place is left
    alone.
  type: array
  items:
    description: One condition.
    type: object
    properties:
      subPath:
        description: A location with which `spec.location` begins, or all of it.
        type: string
      condition:
        description: Whether something must be there, or nothing.
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
      description: What a provider outside says.
      type: object
      required:
        - provider
      properties:
        provider:
          description: The name of a Provider.
          type: string
        dataSource:
          description: >-
            What it is asked for: the text that stands at the location, or the name of the
            user who sent the object.
          type: string
          default: ValueAtLocation
          enum:
            - ValueAtLocation
            - Username
        failurePolicy:
          description: >-
            Where no value can be had: the request fails, the value stays as it is, or
            `default` is written.
          type: string
          default: Fail
          enum:
            - UseDefault
            - Ignore
            - Fail
        default:
          description: The value with UseDefault, which requires it.
          type: string
    {{- if .own }}
    fromObject:
      description: >-
        A location: the value that stands there is written. Where nothing does, or null,
        nothing is. Its globs are those with which `spec.location` begins.
      type: string
    {{- end }}
{{- end }}

{{- define "fixpoint.schema.conditions" -}}
{{- if .own -}}
conditions:
  description: What must hold elsewhere in the object for it to act; all of them.
  type: array
  maxItems: 64
  items:
    description: What must hold at one location.
    type: object
    required:
      - location
      - operator
    properties:
      location:
        description: >-
          Anywhere in the object. Where it begins as `spec.location` does, with the same
          glob, the same element is asked.
        type: string
      operator:
        description: >-
          Something is there, or nothing; a value there is one of `values`, or none is; or
          a string there matches one of them, as a regular expression.
        type: string
        enum:
          - Exists
          - DoesNotExist
          - In
          - NotIn
          - Matches
      values:
        description: >-
          With In and NotIn strings, numbers, booleans and null; with Matches regular
          expressions. None with the others.
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
    description: Which class of error it is; absent where it is of none.
    type: string
  message:
    description: What is wrong.
    type: string
{{- end }}

{{/* The entries of all replicas; `uid` is the field that says whose status it is, and `more`
a template of what stands beside them. */}}
{{- define "fixpoint.schema.byPod" -}}
status:
  description: What the replicas say of it.
  type: object
  properties:
    byPod:
      description: One entry a replica, each written by that replica alone.
      type: array
      x-kubernetes-list-type: map
      x-kubernetes-list-map-keys:
        - id
      items:
        description: What one replica says.
        type: object
        required:
          - id
        properties:
          id:
            description: The replica's Pod.
            type: string
          {{ .uid }}:
            description: The uid of the object that it speaks of.
            type: string
          observedGeneration:
            description: The generation of the object that it speaks of.
            type: integer
            format: int64
          operations:
            description: What this replica does.
            {{- include "fixpoint.schema.strings" . | nindent 12 }}
          {{- include .entry . | nindent 10 }}
    {{- with get . "more" }}
    {{- include . nil | nindent 4 }}
    {{- end }}
{{- end }}

{{/* As Kubernetes has them everywhere (metav1.Condition): `kubectl wait` knows them. */}}
{{- define "fixpoint.schema.conditionsOfStatus" -}}
conditions:
  description: What all replicas together come to; written by one of them.
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
        description: Which condition it is. `Ready` tells whether the object is in force.
        type: string
        maxLength: 316
      status:
        description: Whether it holds.
        type: string
        enum:
          - "True"
          - "False"
          - Unknown
      observedGeneration:
        description: The generation of the object that it speaks of.
        type: integer
        format: int64
        minimum: 0
      lastTransitionTime:
        description: When `status` last changed.
        type: string
        format: date-time
      reason:
        description: Why, in one word for programs.
        type: string
        minLength: 1
        maxLength: 1024
        pattern: ^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$
      message:
        description: Why, in words.
        type: string
        maxLength: 32768
{{- end }}

{{- define "fixpoint.schema.entry.errors" -}}
errors:
  description: What is wrong with the object; empty or absent where nothing is.
  type: array
  items:
    description: One fault.
    {{- include "fixpoint.schema.error" . | nindent 4 }}
{{- end }}

{{- define "fixpoint.schema.entry.mutator" -}}
enforced:
  description: Whether this replica mutates by it. Absent is no.
  type: boolean
{{ include "fixpoint.schema.entry.errors" . }}
{{- end }}

{{- define "fixpoint.schema.entry.provider" -}}
active:
  description: Whether this replica asks it.
  type: boolean
errors:
  description: What went wrong with it.
  type: array
  items:
    description: One fault.
    type: object
    required:
      - message
    properties:
      type:
        description: Which class of error it is; absent where it is of none.
        type: string
      message:
        description: What is wrong.
        type: string
      retryable:
        description: Whether trying again may help.
        type: boolean
      errorTimestamp:
        description: When it happened.
        type: string
        format: date-time
lastCacheUpdateTime:
  description: When an answer of it was last kept.
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
description: Assign writes a value anywhere in an object but in its metadata.
properties:
  spec:
    description: What is written, where, and in which objects.
    type: object
    properties:
      {{- include "fixpoint.schema.applyTo" . | nindent 6 }}
      {{- include "fixpoint.schema.match" . | nindent 6 }}
      {{- include "fixpoint.schema.location" . | nindent 6 }}
      {{- with include "fixpoint.schema.conditions" . }}{{ nindent 6 . }}{{ end }}
      parameters:
        description: What is written.
        type: object
        properties:
          {{- include "fixpoint.schema.assign" . | nindent 10 }}
          {{- include "fixpoint.schema.pathTests" . | nindent 10 }}
  {{- include "fixpoint.schema.mutator.status" . | nindent 2 }}
{{- end }}

{{- define "fixpoint.schema.AssignMetadata" -}}
description: >-
  AssignMetadata adds a label or an annotation that is not there yet. What is there stays.
properties:
  spec:
    description: Which label or annotation is added, and to which objects.
    type: object
    properties:
      {{- include "fixpoint.schema.match" . | nindent 6 }}
      {{- include "fixpoint.schema.location" . | nindent 6 }}
      {{- if .own }}
      operations:
        description: At which operations; none given is both.
        {{- include "fixpoint.schema.operations" . | nindent 8 }}
      {{- end }}
      {{- with include "fixpoint.schema.conditions" . }}{{ nindent 6 . }}{{ end }}
      parameters:
        description: What is written.
        type: object
        properties:
          {{- include "fixpoint.schema.assign" . | nindent 10 }}
  {{- include "fixpoint.schema.mutator.status" . | nindent 2 }}
{{- end }}

{{- define "fixpoint.schema.ModifySet" -}}
description: >-
  ModifySet adds values to a list, or takes them out: a list as a set, such as of arguments.
properties:
  spec:
    description: Which values, where, and in which objects.
    type: object
    properties:
      {{- include "fixpoint.schema.applyTo" . | nindent 6 }}
      {{- include "fixpoint.schema.match" . | nindent 6 }}
      {{- include "fixpoint.schema.location" . | nindent 6 }}
      {{- with include "fixpoint.schema.conditions" . }}{{ nindent 6 . }}{{ end }}
      parameters:
        description: Which values, and what is done with them.
        type: object
        properties:
          operation:
            description: >-
              merge adds the values that are missing, at the end; prune removes whatever
              equals one of them.
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
    description: Which parts become what, where, and in which objects.
    type: object
    properties:
      {{- include "fixpoint.schema.applyTo" . | nindent 6 }}
      {{- include "fixpoint.schema.match" . | nindent 6 }}
      {{- include "fixpoint.schema.location" . | nindent 6 }}
      {{- with include "fixpoint.schema.conditions" . }}{{ nindent 6 . }}{{ end }}
      parameters:
        description: The new parts; at least one. Those that are not given stay.
        type: object
        properties:
          assignDomain:
            description: The registry, with a dot in it, or localhost; with a port or without.
            type: string
          assignPath:
            description: The path behind the registry, in lower case.
            type: string
          assignTag:
            description: The tag or digest, with its mark, as in `:1.4`, `@sha256:…`.
            type: string
          {{- if .own }}
          onlyIf:
            description: >-
              Which images it changes, by the parts that they have: all lists that are
              given must hold. "" stands for a part that is missing.
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
                description: Tags and digests, exact, with their mark.
                maxItems: 1024
                {{- include "fixpoint.schema.strings" . | nindent 16 }}
          {{- end }}
          {{- include "fixpoint.schema.pathTests" . | nindent 10 }}
  {{- include "fixpoint.schema.mutator.status" . | nindent 2 }}
{{- end }}

{{- define "fixpoint.schema.Remove" -}}
description: Remove takes away a field, or elements of a list.
properties:
  spec:
    description: What is taken away, and from which objects.
    type: object
    properties:
      {{- include "fixpoint.schema.applyTo" . | nindent 6 }}
      {{- include "fixpoint.schema.match" . | nindent 6 }}
      {{- include "fixpoint.schema.location" . | nindent 6 }}
      {{- with include "fixpoint.schema.conditions" . }}{{ nindent 6 . }}{{ end }}
      parameters:
        description: Where it is taken away.
        type: object
        properties:
          {{- include "fixpoint.schema.pathTests" . | nindent 10 }}
  {{- include "fixpoint.schema.mutator.status" . | nindent 2 }}
{{- end }}

{{- define "fixpoint.schema.Provider" -}}
description: Provider says where values from outside come from.
properties:
  spec:
    description: Where it is asked, and whom to trust there.
    type: object
    properties:
      url:
        description: Where it is asked, https://…
        type: string
      timeout:
        description: How many seconds one request may take; 5 where none is given.
        type: integer
      caBundle:
        description: >-
          Certificates, PEM in base64: the provider's own is one of those that they vouch
          for. Nobody else is trusted.
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
description: >-
  Config says which namespaces are left alone. Only the one named `config` has any effect.
properties:
  spec:
    description: What is left alone. What is not in `match` concerns Gatekeeper alone.
    type: object
    properties:
      match:
        description: Which processes leave which namespaces alone.
        type: array
        items:
          description: These processes leave these namespaces alone.
          type: object
          properties:
            processes:
              description: mutation-webhook, or * for all; others concern Gatekeeper.
              {{- include "fixpoint.schema.strings" . | nindent 14 }}
            excludedNamespaces:
              description: The namespaces.
              {{- include "fixpoint.schema.globs" . | nindent 14 }}
      sync:
        description: What Gatekeeper keeps a copy of.
        type: object
        properties:
          syncOnly:
            description: These kinds alone.
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
            description: Which requests Gatekeeper traces.
            type: array
            items:
              description: Requests of one user about one kind.
              type: object
              properties:
                user:
                  description: Whose requests.
                  type: string
                kind:
                  description: About what.
                  type: object
                  properties:
                    {{- include "fixpoint.schema.gvk" . | nindent 20 }}
                dump:
                  description: All writes down the whole state, too.
                  type: string
      readiness:
        description: How Gatekeeper tells that it is ready.
        type: object
        properties:
          statsEnabled:
            description: Whether it logs how far it is.
            type: boolean
  {{- include "fixpoint.schema.byPod" (dict "uid" "configUID" "entry" "fixpoint.schema.entry.errors") | nindent 2 }}
{{- end }}

{{- define "fixpoint.schema.ExpansionTemplate" -}}
description: >-
  ExpansionTemplate says what a controller will make of an object, before it does.
properties:
  spec:
    description: Which objects are expanded, and what comes of them.
    type: object
    properties:
      applyTo:
        description: The objects that are expanded.
        type: array
        items:
          description: Objects of these groups, versions and kinds.
          type: object
          properties:
            {{- include "fixpoint.schema.gvks" . | nindent 12 }}
      templateSource:
        description: >-
          Where the template stands in the object: fields with dots between them, as in
          spec.template.
        type: string
      generatedGVK:
        description: What is made.
        type: object
        properties:
          {{- include "fixpoint.schema.gvk" . | nindent 10 }}
      enforcementAction:
        description: What Gatekeeper's validation does about violations in what is made.
        type: string
  {{- include "fixpoint.schema.byPod" (dict "uid" "templateUID" "entry" "fixpoint.schema.entry.errors") | nindent 2 }}
{{- end }}

{{- define "fixpoint.schema.ModRule.match" -}}
match:
  description: >-
    What must hold of the object: all items. An expression sees the object as the rules of
    lower tiers left it, with `syntheticRefs` in it: its namespace, and the node of a Pod.
  type: array
  minItems: 1
  items:
    description: >-
      One question about the object. What `select` finds is compared with matchValue; where
      there is none with matchValues; where there are none with matchRegex; with none of them
      it is enough that something is found.
    type: object
    required:
      - select
    properties:
      select:
        description: >-
          An expression in JSONPath, such as `$.spec.containers[*].image`, or one that is true
          or false, such as `length($.spec.containers) > 1`, whose answer counts by itself.
        type: string
        minLength: 1
      matchFor:
        description: >-
          Of several things that are found, whether any must fit, or all.
        type: string
        default: Any
        enum:
          - Any
          - All
      matchValue:
        description: The text that is found is this one.
        type: string
        nullable: true
      matchValues:
        description: The text that is found is one of these.
        {{- include "fixpoint.schema.strings" . | nindent 8 }}
      matchRegex:
        description: >-
          This regular expression is found in the text (RE2, anywhere in it unless it has
          anchors).
        type: string
        nullable: true
      negate:
        description: Turns the answer over; so does it where nothing is found.
        type: boolean
{{- end }}

{{- define "fixpoint.schema.ModRule.patch" -}}
patch:
  description: >-
    What is done to the object, in this order: JSON Patch, with `select` and templates. All of
    it is worked out before any is done. A rule of which one operation fails is left out.
  type: array
  items:
    description: One operation; with `select` one for each place that it finds.
    type: object
    required:
      - op
      - path
    properties:
      op:
        description: >-
          add writes a field, or inserts into a list (a key of `-` appends to it); replace and
          remove want that it is there. Parents that are missing are made by add.
        type: string
        enum:
          - add
          - replace
          - remove
      path:
        description: >-
          Where, as a JSON Pointer: /metadata/labels/team. With `select` #0, #1, … stand for
          what its first, second, … wildcard or filter found: /spec/containers/#0/image.
        type: string
      select:
        description: A JSONPath with wildcards and filters, such as `$.spec.containers[*]`.
        type: string
        minLength: 1
        nullable: true
      value:
        description: >-
          What is written, as YAML: a template of Go, with `.Target` the object, `.Namespace`
          its namespace, `.SelectedItem` what `select` found, and the functions of Sprig.
        type: string
        nullable: true
{{- end }}

{{- define "fixpoint.schema.ModRule" -}}
description: >-
  ModRule changes objects on their way into the cluster, or rejects them. It is about the
  objects of its own namespace; one in the namespace of the cluster's rules is about what is
  in no namespace, or about the namespaces that it names.
required:
  - spec
properties:
  spec:
    description: Which objects, and what becomes of them.
    type: object
    required:
      - type
      - match
    properties:
      type:
        description: Patch changes what matches; Reject rejects it.
        type: string
        enum:
          - Patch
          - Reject
      executionTier:
        description: >-
          Rules of lower tiers come first, and those of a higher one match against what they
          made. Within a tier rules are matched together.
        type: integer
        default: 0
        minimum: -32767
        maximum: 32766
      admissionOperations:
        description: >-
          At which operations. Only rules of type Reject may judge a DELETE: there is nothing to
          patch.
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
          What is said to who sent a rejected object: a template as in `patch`, with `.Target`
          and `.Namespace`. Only with type Reject.
        type: string
        nullable: true
      targetNamespaceRegex:
        description: >-
          In the namespace of the cluster's rules: the rule is about objects whose namespace
          this regular expression is found in (`^(a|b)$` for two of them), and one that fits
          the empty text is about what is in no namespace, too. None: only about what is in no
          namespace. Elsewhere it has no effect.
        type: string
        nullable: true
  {{- include "fixpoint.schema.byPod" (dict "uid" "mutatorUID" "entry" "fixpoint.schema.entry.mutator" "more" "fixpoint.schema.conditionsOfStatus") | nindent 2 }}
{{- end }}
