{{/* What `kubectl get` prints of a kind, in front of its age. */}}
{{- define "fixpoint.columns.mutator" -}}
- name: Location
  type: string
  description: The location that the mutator writes.
  jsonPath: .spec.location
- name: Error
  type: string
  description: The error that the first replica reports.
  priority: 1
  jsonPath: .status.byPod[*].errors[*].message
{{- end }}

{{- define "fixpoint.columns.modrule" -}}
- name: Type
  type: string
  description: Patch or Reject.
  jsonPath: .spec.type
- name: Tier
  type: integer
  description: The tier; lower tiers run first.
  jsonPath: .spec.executionTier
- name: Ready
  type: string
  description: Whether the policy is active.
  jsonPath: .status.conditions[?(@.type=="Ready")].status
- name: Message
  type: string
  description: The error message.
  priority: 1
  jsonPath: .status.conditions[?(@.type=="Ready")].message
{{- end }}

{{- define "fixpoint.columns.provider" -}}
- name: URL
  type: string
  description: The URL of the provider.
  jsonPath: .spec.url
{{- end }}

{{- define "fixpoint.columns.config" -}}
- name: Excluded
  type: string
  description: The namespaces of the first entry.
  jsonPath: .spec.match[0].excludedNamespaces
{{- end }}

{{- define "fixpoint.columns.expansion" -}}
- name: Source
  type: string
  description: The location of the template in the generator.
  jsonPath: .spec.templateSource
- name: Generates
  type: string
  description: The generated kind.
  jsonPath: .spec.generatedGVK.kind
{{- end }}

{{- define "fixpoint.columns.admissionPolicy" -}}
- name: Mutations
  type: string
  description: The types of the mutations.
  jsonPath: .spec.mutations[*].patchType
- name: ParamKind
  type: string
  description: The kind of the parameters.
  jsonPath: .spec.paramKind.kind
- name: Failure
  type: string
  description: Whether a failure rejects the request (Fail) or not (Ignore).
  jsonPath: .spec.failurePolicy
- name: Error
  type: string
  description: The error that the first replica reports.
  priority: 1
  jsonPath: .status.byPod[*].errors[*].message
{{- end }}

{{- define "fixpoint.columns.admissionBinding" -}}
- name: Policy
  type: string
  description: The policy that the binding activates.
  jsonPath: .spec.policyName
- name: Param
  type: string
  description: The name of the parameter object.
  jsonPath: .spec.paramRef.name
- name: Error
  type: string
  description: The error that the first replica reports.
  priority: 1
  jsonPath: .status.byPod[*].errors[*].message
{{- end }}

{{- define "fixpoint.columns.kyverno" -}}
- name: Failure
  type: string
  description: Whether a failure rejects the request (Fail) or not (Ignore).
  jsonPath: .spec.failurePolicy
{{- end }}

{{- define "fixpoint.columns.kyvernoException" -}}
- name: Policies
  type: string
  description: The policies that have exceptions.
  jsonPath: .spec.exceptions[*].policyName
{{- end }}
