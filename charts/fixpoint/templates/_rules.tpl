{{/* The namespaces that mutating webhooks leave alone, as expressions of a selector. */}}
{{- define "fixpoint.namespaces" -}}
- key: kubernetes.io/metadata.name
  operator: NotIn
  values:
    {{- list .Release.Namespace "kube-system" | uniq | toYaml | nindent 4 }}
- key: admission.gatekeeper.sh/ignore
  operator: DoesNotExist
{{- range $label, $values := .Values.mutatingWebhookExemptNamespacesLabels }}
- key: {{ $label }}
  operator: NotIn
  values:
    {{- toYaml $values | nindent 4 }}
{{- end }}
{{- end }}

{{/* The rules of the mutating webhook. ModRules may reject that something is deleted, and are
asked; where they are not read, nobody is. MutatingAdmissionPolicies may change a CONNECT, which is
always about a subresource. */}}
{{- define "fixpoint.mutatingRules" -}}
{{- if .Values.mutatingWebhookCustomRules }}
{{- toYaml .Values.mutatingWebhookCustomRules }}
{{- else if include "fixpoint.hasMatchConditions" . -}}
- apiGroups: ["*"]
  {{- include "fixpoint.rule" (dict "root" . "resources" (list "*")) | nindent 2 }}
{{- else -}}
# Without matchConditions, the rules list what is sent: of the core group everything but
# events, and no group with leases, events, or reviews of access and tokens.
- apiGroups: [""]
  {{- $core := list "configmaps" "endpoints" "limitranges" "namespaces" "nodes"
    "persistentvolumeclaims" "persistentvolumes" "pods" "podtemplates"
    "replicationcontrollers" "resourcequotas" "secrets" "serviceaccounts" "services" }}
  {{- include "fixpoint.rule" (dict "root" . "resources" $core) | nindent 2 }}
- apiGroups:
    - admissionregistration.k8s.io
    - apiextensions.k8s.io
    - apiregistration.k8s.io
    - apps
    - autoscaling
    - batch
    - certificates.k8s.io
    - discovery.k8s.io
    - flowcontrol.apiserver.k8s.io
    - networking.k8s.io
    - node.k8s.io
    - policy
    - rbac.authorization.k8s.io
    - scheduling.k8s.io
    - storage.k8s.io
  {{- include "fixpoint.rule" (dict "root" . "resources" (list "*")) | nindent 2 }}
{{- end }}
{{- end }}

{{- define "fixpoint.rule" -}}
apiVersions: ["*"]
operations: [CREATE, UPDATE{{ if .root.Values.apis.kubemod.enabled }}, DELETE{{ end }}{{ if include "fixpoint.connects" .root }}, CONNECT{{ end }}]
resources:
  {{- concat .resources (.root.Values.mutatingWebhookSubResources | default list) | toYaml | nindent 2 }}
scope: {{ .root.Values.mutatingWebhookScope | quote }}
{{- end }}
