import { readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse, parseAllDocuments } from 'yaml'
import type { Environment, ProgramName } from './programs.ts'
import { readTemplate, render, type Templates } from './render-template.ts'

/** The chart, and what it renders to. */
export const chart = fileURLToPath(new URL('../helm/probe-mesh', import.meta.url))
export const readChart = (name: string): string => readFileSync(`${chart}/${name}`, 'utf8')
export const templateNames = readdirSync(`${chart}/templates`).toSorted()

export type Values = Record<string, any> // oxlint-disable-line typescript/no-explicit-any
export type Container = {
  name: string
  image: string
  env: { name: string; value?: string; valueFrom?: object }[]
  ports: { name: string; containerPort: number }[]
  securityContext: Record<string, unknown>
  resources: { limits: { memory: string } }
  volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[]
}
export type Thing = {
  apiVersion: string
  kind: string
  metadata: { name: string; labels?: Record<string, string> }
  spec: Record<string, any> // oxlint-disable-line typescript/no-explicit-any
}

const byDefault: Values = parse(readChart('values.yaml'))

/** The default values, with the one that is required. */
export const values: Values = {
  ...byDefault,
  image: { ...byDefault['image'], registry: 'registry.example.com/mesh' },
}

const scheduled = {
  priorityClassName: 'important',
  podAnnotations: { 'example.com/team': 'sre' },
  nodeSelector: { 'kubernetes.io/arch': 'amd64' },
  tolerations: [{ key: 'probes', operator: 'Exists', effect: 'NoSchedule' }],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }],
      },
    },
  },
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'topology.kubernetes.io/zone',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: { 'app.kubernetes.io/instance': 'mesh' } },
    },
  ],
  environment: { LOG_LEVEL: 'debug' },
  extraEnv: [{ name: 'METRICS_TOKEN', valueFrom: { secretKeyRef: { name: 'metrics', key: 'token' } } }],
  extraVolumes: [{ name: 'authorities', configMap: { name: 'authorities' } }],
  extraVolumeMounts: [{ name: 'authorities', mountPath: '/etc/authorities', readOnly: true }],
}

/** Every option on, and every list with a member. */
export const everything = (): Values => {
  const given: Values = structuredClone(values)
  for (const part of ['controlPlane', 'gateway', 'agents']) Object.assign(given[part], scheduled)
  Object.assign(given['agents'], { enabled: true, storageClass: 'fast' })
  Object.assign(given['ingress'], { enabled: true, className: 'nginx', annotations: { a: 'b' } })
  Object.assign(given['monitoring'], { serviceMonitors: true, rules: true, labels: { release: 'p' } })
  given['imagePullSecrets'] = [{ name: 'login' }]
  given['serviceAccount'] = { create: true, name: '', annotations: { 'example.com/role': 'r' } }
  return given
}

const parts = ['controlPlane', 'gateway', 'agents'] as const

/** Three parts, without further options. */
export const plain = (change: (given: Values) => void = () => {}): Values => {
  const given: Values = structuredClone(values)
  for (const part of parts) given[part].enabled = true
  change(given)
  return given
}

/** All objects of a rendered chart. @throws Error for invalid YAML */
export const objectsOf = (text: string): Thing[] =>
  parseAllDocuments(text).flatMap((document) => {
    if (document.errors.length > 0) throw new Error(String(document.errors[0]))
    const thing = document.toJS() as Thing | null
    return thing === null ? [] : [thing]
  })

/** Renders the templates by our own reader. */
export const renderFiles = (given: Values): Map<string, string> => {
  const templates: Templates = new Map()
  const files = templateNames.map((name) => readTemplate(readChart(`templates/${name}`), templates))
  const { appVersion } = parse(readChart('Chart.yaml')) as { appVersion: string }
  const dot = {
    Values: given,
    Release: { Name: 'mesh', Namespace: 'default' },
    Chart: { AppVersion: appVersion },
    Files: { Get: readChart },
  }
  return new Map(files.map((nodes, at) => [templateNames[at] ?? '', render(nodes, templates, dot)]))
}

export const renderAll = (given: Values): Thing[] =>
  [...renderFiles(given)].flatMap(([name, text]) => (name === 'NOTES.txt' ? [] : objectsOf(text)))

export const podsOf = (
  things: Thing[],
): { name: string; program: ProgramName; pod: Thing['spec']; container: Container }[] =>
  things.flatMap(({ kind, metadata, spec }) => {
    if (kind !== 'Deployment' && kind !== 'StatefulSet') return []
    const pod = spec['template'].spec
    const [container] = pod.containers as [Container]
    return [{ name: metadata.name, program: container.name as ProgramName, pod, container }]
  })

export const environmentOf = ({ env }: Container): Environment =>
  Object.fromEntries(env.map(({ name, value }) => [name, value ?? 'from-the-cluster-with-32-characters']))
