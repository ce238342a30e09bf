{{- define "swell.name" -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{- define "swell.labels" -}}
app.kubernetes.io/name: swell
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "swell.selector" -}}
app.kubernetes.io/name: swell
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "swell.image" -}}
{{- $tag := .Values.image.tag | default (printf "%s%s" .Chart.AppVersion (ternary "-jvm" "" .Values.jvm)) -}}
{{ .Values.image.repository }}:{{ $tag }}
{{- end }}

{{- define "swell.secret" -}}
{{- .Values.broker.existingSecret | default (printf "%s-broker" (include "swell.name" .)) -}}
{{- end }}

{{/* The address of the broker without its user: HOST:PORT, and what stands before it. */}}
{{- define "swell.broker" -}}
{{- if .Values.broker.enabled -}}
nats://swell:$(BROKER_PASSWORD)@{{ include "swell.name" . }}-broker:4222
{{- else if .Values.broker.existingSecret -}}
{{- $parts := splitn "://" 2 (required "broker.url is needed if broker.enabled is false" .Values.broker.url) -}}
{{ $parts._0 }}://$(BROKER_USERNAME):$(BROKER_PASSWORD)@{{ $parts._1 }}
{{- else -}}
{{ required "broker.url is needed if broker.enabled is false" .Values.broker.url }}
{{- end -}}
{{- end }}

{{/* Variables with the credentials of the broker. */}}
{{- define "swell.credentials" -}}
{{- if or .Values.broker.enabled .Values.broker.existingSecret }}
- name: BROKER_PASSWORD
  valueFrom: { secretKeyRef: { name: {{ include "swell.secret" . }}, key: password } }
{{- if not .Values.broker.enabled }}
- name: BROKER_USERNAME
  valueFrom: { secretKeyRef: { name: {{ include "swell.secret" . }}, key: username } }
{{- end }}
{{- end }}
{{- end }}

{{/* Controller and agents give up at once if there is no broker yet, so a container waits for it. */}}
{{- define "swell.waitForBroker" -}}
{{- if .Values.broker.enabled }}
initContainers:
  - name: wait-for-broker
    image: {{ .Values.broker.image }}
    command: ["sh", "-c", "until nc -z {{ include "swell.name" . }}-broker 4222; do sleep 1; done"]
    securityContext: {{- include "swell.restricted" . | nindent 6 }}
    resources: { requests: { cpu: 10m, memory: 16Mi }, limits: { memory: 16Mi } }
{{- end }}
{{- end }}

{{- define "swell.restricted" -}}
runAsNonRoot: true
runAsUser: 65534
runAsGroup: 65534
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{/* Fields of a pod that every pod of this chart has. */}}
{{- define "swell.pod" -}}
automountServiceAccountToken: false
{{- with .Values.serviceAccountName }}
serviceAccountName: {{ . }}
{{- end }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Where a pod is placed, from the values of a part. */}}
{{- define "swell.placement" -}}
{{- with .nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
