{{/* The reference of an image, by the name of its target. */}}
{{- define "probe-mesh.image" -}}
{{- with .root.Values.image.registry }}{{ . }}/{{ end }}probe-mesh/{{ .name }}:{{ .root.Values.image.tag }}
{{- end -}}

{{- define "probe-mesh.labels" -}}
app.kubernetes.io/name: probe-mesh
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* Every pod: no root, no privileges, writable mounts only. */}}
{{- define "probe-mesh.pod-security" -}}
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
{{- end -}}

{{- define "probe-mesh.container-security" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end -}}

{{- define "probe-mesh.environment" -}}
{{- range $name, $value := . }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end -}}

{{/* Replicas of one kind run on different machines if possible. */}}
{{- define "probe-mesh.spread" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "probe-mesh.labels" . | nindent 8 }}
{{- end -}}
