{{- define "reborn.selector" -}}
app.kubernetes.io/name: reborn
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "reborn.labels" -}}
{{ include "reborn.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "reborn.image" -}}
{{- if .image.digest -}}
{{ .image.repository }}@{{ .image.digest }}
{{- else -}}
{{ .image.repository }}:{{ .image.tag | default .version }}
{{- end -}}
{{- end }}
