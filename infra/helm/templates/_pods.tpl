{{- define "labels" }}{app.kubernetes.io/name: vokter, app.kubernetes.io/component: {{ . }}}{{ end }}

{{- define "pod security" -}}
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "container security" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
{{- end }}

{{- define "pull secrets" }}
{{- with .Values.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end }}

{{- define "tag" }}{{ .Values.tag | default .Chart.AppVersion }}{{ end }}

{{- /* The names of the processes that reach something. */}}
{{- define "reaching" }}
{{- $names := list }}
{{- range $name, $fact := .facts }}
{{- if has $.what ($fact.reaches | default list) }}
{{- $names = append $names $name }}
{{- end }}
{{- end }}
{{- join ", " $names }}
{{- end }}
