{{/* The reference of an image, by the name of its target. No public registry has the images. */}}
{{- define "probe-mesh.image" -}}
{{- $image := .root.Values.image -}}
{{- if not $image.registry }}{{ fail "image.registry is not set, and no public registry has the images. Push them to a registry of yours (docs/deploy.md, Kubernetes), and set image.registry to its host and path, such as registry.example.com/mesh" }}{{ end -}}
{{ $image.registry }}/probe-mesh/{{ .name }}:{{ default .root.Chart.AppVersion $image.tag }}
{{- with index $image.digests .name }}@{{ . }}{{ end -}}
{{- end -}}

{{- define "probe-mesh.labels" -}}
app.kubernetes.io/name: probe-mesh
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "probe-mesh.service-account" -}}
{{ default (ternary .Release.Name "default" .Values.serviceAccount.create) .Values.serviceAccount.name }}
{{- end -}}

{{/* Every pod: no root, no privileges, writable mounts only; where it runs is a value. */}}
{{- define "probe-mesh.pod" -}}
{{- $part := .part -}}
serviceAccountName: {{ include "probe-mesh.service-account" .root }}
automountServiceAccountToken: false
enableServiceLinks: false
terminationGracePeriodSeconds: 20
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $part.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $part.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $part.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $part.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
topologySpreadConstraints:
  {{- if $part.topologySpreadConstraints }}
  {{- toYaml $part.topologySpreadConstraints | nindent 2 }}
  {{- else }}
  # replicas of one kind run on different machines if possible
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "probe-mesh.labels" . | nindent 8 }}
  {{- end }}
{{- end -}}

{{- define "probe-mesh.container-security" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end -}}

{{/* The chart's variables, without those that the values set, as text or as a file of that name; then these. */}}
{{- define "probe-mesh.environment" -}}
{{- $given := dict -}}
{{- range $name, $value := .part.environment }}{{ $_ := set $given (trimSuffix "_FILE" $name) true }}{{ end -}}
{{- range $at, $one := .part.extraEnv }}{{ $_ := set $given (trimSuffix "_FILE" $one.name) true }}{{ end -}}
{{- range $at, $one := fromYamlArray .own }}
{{- if not (hasKey $given (trimSuffix "_FILE" $one.name)) }}
- {{ toJson $one }}
{{- end }}
{{- end }}
{{- range $name, $value := .part.environment }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- with .part.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "probe-mesh.disruption-budget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ .root.Release.Name }}-{{ .component }}
  labels:
    {{- include "probe-mesh.labels" . | nindent 4 }}
spec:
  maxUnavailable: 1
  # a pod that serves nobody must not keep its machine
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "probe-mesh.labels" . | nindent 6 }}
{{- end -}}
