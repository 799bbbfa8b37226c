{{/* What `kubectl get` prints of a kind, in front of its age. */}}
{{- define "fixpoint.columns.mutator" -}}
- name: Location
  type: string
  description: Where it writes.
  jsonPath: .spec.location
- name: Error
  type: string
  description: What is wrong with it, in the words of the first replica that says so.
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
  description: Lower ones come first.
  jsonPath: .spec.executionTier
- name: Ready
  type: string
  description: Whether it is in force.
  jsonPath: .status.conditions[?(@.type=="Ready")].status
- name: Message
  type: string
  description: What is wrong with it.
  priority: 1
  jsonPath: .status.conditions[?(@.type=="Ready")].message
{{- end }}

{{- define "fixpoint.columns.provider" -}}
- name: URL
  type: string
  description: Where it is asked.
  jsonPath: .spec.url
{{- end }}

{{- define "fixpoint.columns.config" -}}
- name: Excluded
  type: string
  description: The namespaces of its first entry.
  jsonPath: .spec.match[0].excludedNamespaces
{{- end }}

{{- define "fixpoint.columns.expansion" -}}
- name: Source
  type: string
  description: Where in the generator the template stands.
  jsonPath: .spec.templateSource
- name: Generates
  type: string
  description: The kind that comes of it.
  jsonPath: .spec.generatedGVK.kind
{{- end }}
