import { readFileSync, readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { z } from 'zod'
import {
  isSecretFile,
  programs,
  unknownVariables,
  type Environment,
  type ProgramName,
} from './testing/programs.ts'
import { readTemplate, render, type Templates } from './testing/render-template.ts'
import { secretLines } from './testing/secrets.ts'

/**
 * The chart, rendered by our own reader of its templates, because Helm is not installed here; use `helm lint`
 * if you have it (docs/deploy.md). The output is checked against the programs and the rules of a cluster.
 */
const at = (name: string): URL => new URL(`helm/probe-mesh/${name}`, import.meta.url)
const read = (name: string): string => readFileSync(at(name), 'utf8')

type Values = Record<string, any> // oxlint-disable-line typescript/no-explicit-any
type Container = {
  name: string
  image: string
  env: { name: string; value?: string; valueFrom?: object }[]
  ports?: { name: string; containerPort: number }[]
  securityContext: Record<string, unknown>
  resources: { limits: { memory: string } }
  volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[]
}
type Thing = {
  kind: string
  metadata: { name: string }
  spec: Record<string, any> // oxlint-disable-line typescript/no-explicit-any
}

const values: Values = parse(read('values.yaml'))
const schema = z.fromJSONSchema(JSON.parse(read('values.schema.json')))

const everything = (): Values => ({
  ...values,
  agents: { ...values['agents'], enabled: true },
  ingress: { ...values['ingress'], enabled: true, className: 'nginx', annotations: { a: 'b' } },
})
const renderAll = (given: Values): Thing[] => {
  const templates: Templates = new Map()
  const names = readdirSync(at('templates/')).toSorted()
  const files = names.map((name) => readTemplate(read(`templates/${name}`), templates))
  const dot = { Values: given, Release: { Name: 'mesh' } }
  return files
    .flatMap((nodes) => parseAllDocuments(render(nodes, templates, dot)))
    .flatMap((document) => {
      expect(document.errors).toEqual([])
      const thing = document.toJS() as Thing | null
      return thing === null ? [] : [thing]
    })
}
const podsOf = (
  things: Thing[],
): { name: string; program: ProgramName; pod: Thing['spec']; container: Container }[] =>
  things.flatMap(({ kind, metadata, spec }) => {
    if (kind !== 'Deployment' && kind !== 'StatefulSet') return []
    const pod = spec['template'].spec
    const [container] = pod.containers as [Container]
    return [{ name: metadata.name, program: container.name as ProgramName, pod, container }]
  })
const environmentOf = ({ env }: Container): Environment =>
  Object.fromEntries(env.map(({ name, value }) => [name, value ?? 'from-the-cluster-with-32-characters']))

describe('the values', () => {
  test('are valid by default and with every option on', () => {
    expect(schema.safeParse(values).error).toBeUndefined()
    expect(schema.safeParse(everything()).error).toBeUndefined()
  })

  test.each<[string, (given: Values) => void]>([
    ['an unknown value', (given) => (given['colour'] = 'red')],
    ['a page without TLS', (given) => (given['publicUrl'] = 'http://status.example.com')],
    ['NATS without TLS', (given) => (given['nats'].urls = ['nats://nats:4222'])],
    ['two replicas of a message', (given) => (given['nats'].replicas = 2)],
    ['a region of two letters', (given) => (given['regions'] = ['fr'])],
    ['an image of no version', (given) => (given['image'].tag = 'latest')],
    ['no memory limit', (given) => delete given['gateway'].resources.limits.memory],
    ['a secret in clear', (given) => (given['gateway'].environment = { GATEWAY_KEY: 'x' })],
    ['a number as a variable', (given) => (given['gateway'].environment = { A: 1 })],
    ['no control planes', (given) => (given['controlPlane'].replicas = 0)],
  ])('are refused with %s', (_, change) => {
    const given = structuredClone(values)
    change(given)
    expect(schema.safeParse(given).success).toBe(false)
  })
})

describe('the rendered chart', () => {
  test('contains exactly the configured objects', () => {
    const kinds = (given: Values) => renderAll(given).map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    expect(kinds(values).toSorted()).toEqual([
      'Deployment mesh-control-plane',
      'Deployment mesh-mcp-gateway',
      'PodDisruptionBudget mesh-control-plane',
      'PodDisruptionBudget mesh-mcp-gateway',
      'Service mesh-control-plane',
      'Service mesh-mcp-gateway',
    ])
    expect(kinds(everything())).toEqual(
      expect.arrayContaining(['StatefulSet mesh-agent', 'NetworkPolicy mesh-agent', 'Ingress mesh']),
    )
  })

  test('runs no container as root, with a writable image or new privileges', () => {
    const pods = podsOf(renderAll(everything()))
    expect(pods).toHaveLength(3)
    for (const { name, pod, container } of pods) {
      expect([name, pod['securityContext']]).toEqual([
        name,
        expect.objectContaining({
          runAsNonRoot: true,
          runAsUser: 10001,
          seccompProfile: { type: 'RuntimeDefault' },
        }),
      ])
      expect([name, pod['automountServiceAccountToken']]).toEqual([name, false])
      expect([name, container.securityContext]).toEqual([
        name,
        {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
      ])
      expect([name, container.resources.limits.memory]).toEqual([name, expect.stringMatching(/^\d+[MG]i$/)])
      expect([name, container.image]).toEqual([name, expect.stringMatching(/^probe-mesh\/[a-z-]+:0\.1\.0$/)])
      const volumes = (pod['volumes'] as { name: string }[]).map((volume) => volume.name)
      const mounts = container.volumeMounts.map((mount) => mount.name)
      expect(mounts.filter((mount) => mount !== 'spool').toSorted()).toEqual(volumes.toSorted())
    }
  })

  test('sets only known variables for each program, with which it starts', () => {
    for (const { name, program, container } of podsOf(renderAll(everything()))) {
      const given = environmentOf(container)
      expect([name, unknownVariables(program, given)]).toEqual([name, []])
      const read = program === 'agent' ? { ...given, AGENT: 'mesh-agent-0' } : given
      expect([name, programs[program].problems(read)]).toEqual([name, []])
      for (const variable of Object.keys(given).filter((one) => one.endsWith('_FILE'))) {
        expect([variable, isSecretFile(program, variable)]).toEqual([variable, true])
      }
      for (const { value } of container.env) {
        if (!value?.startsWith('/run/')) continue
        expect(container.volumeMounts.some(({ mountPath }) => value.startsWith(`${mountPath}/`))).toBe(true)
      }
    }
  })

  test('uses the same port in containers, probes and services', () => {
    const things = renderAll(everything())
    for (const { name, program, container } of podsOf(things)) {
      if (program === 'agent') continue
      const port = programs[program].port(environmentOf(container))
      expect(container.ports).toEqual([{ name: 'https', containerPort: port }])
      const service = things.find(({ kind, metadata }) => kind === 'Service' && metadata.name === name)
      expect(service?.spec['ports']).toEqual([{ name: 'https', port: 443, targetPort: 'https' }])
    }
    const gateway = podsOf(things).find(({ program }) => program === 'mcp-gateway')
    expect(gateway?.container.env).toContainEqual({
      name: 'CONTROL_PLANE_URL',
      value: 'https://mesh-control-plane',
    })
    const ingress = things.find(({ kind }) => kind === 'Ingress')
    expect(JSON.stringify(ingress?.spec)).toMatch(/mesh-control-plane.*mesh-mcp-gateway/)
  })

  test('routes /metrics of both hosts to a service without pods', () => {
    const things = renderAll(everything())
    const ingress = things.find(({ kind }) => kind === 'Ingress')
    const rules = ingress?.spec['rules'] as { http: { paths: Record<string, unknown>[] } }[]
    expect(rules).toHaveLength(2)
    for (const { http } of rules) {
      expect(http.paths).toContainEqual({
        path: '/metrics',
        pathType: 'Exact',
        backend: { service: { name: 'mesh-nowhere', port: { name: 'https' } } },
      })
    }
    const nowhere = things.find(({ metadata }) => metadata.name === 'mesh-nowhere')
    expect(nowhere?.spec['selector']).toBeUndefined()
    for (const { program, container } of podsOf(things)) {
      if (program === 'agent') continue
      expect(environmentOf(container)['METRICS_TOKEN_FILE']).toBe('/run/secrets/metrics-token')
    }
  })

  test('pulls images from the configured registry and digest', () => {
    const digest = `sha256:${'a'.repeat(64)}`
    const image = {
      registry: 'images.example.com/mesh',
      tag: `1.0.0-rc.1@${digest}`,
      pullPolicy: 'Always',
    }
    const given: Values = { ...everything(), image }
    given['agents'] = { ...given['agents'], browser: true }
    expect(schema.safeParse(given).error).toBeUndefined()
    const images = podsOf(renderAll(given)).map(({ container }) => container.image)
    expect(images).toContain(`images.example.com/mesh/probe-mesh/agent-browser:1.0.0-rc.1@${digest}`)
  })

  test('gives agents the key of their region from their Secret, once', () => {
    const agentOf = (environment: Record<string, string>) => {
      const given = everything()
      given['agents'] = { ...given['agents'], environment }
      const pod = podsOf(renderAll(given)).find(({ program }) => program === 'agent')
      return (pod?.container.env ?? []).filter(({ name }) => name.startsWith('REGION_KEY'))
    }
    const { credentials } = values['agents']
    const secretKeyRef = { name: credentials, key: 'region-key', optional: true }
    expect(agentOf({})).toEqual([{ name: 'REGION_KEY', valueFrom: { secretKeyRef } }])
    // agents refuse both
    const file = { name: 'REGION_KEY_FILE', value: '/run/secrets/region-key' }
    expect(agentOf({ [file.name]: file.value })).toEqual([file])
  })

  test('contains no secret', () => {
    for (const name of ['values.yaml', ...readdirSync(at('templates/')).map((file) => `templates/${file}`)]) {
      expect([name, secretLines(read(name))]).toEqual([name, []])
    }
  })
})
