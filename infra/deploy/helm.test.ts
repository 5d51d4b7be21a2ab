import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import {
  environmentOf,
  everything,
  plain,
  podsOf,
  readChart,
  renderAll,
  renderFiles,
  templateNames,
  values,
  type Thing,
  type Values,
} from './testing/chart.ts'
import { isSecretFile, programs, unknownVariables } from './testing/programs.ts'
import { secretLines } from './testing/secrets.ts'

/**
 * The chart, rendered by our own reader of its templates; helm-run.test.ts compares that with Helm itself. The
 * output is checked against the programs and the rules of a cluster.
 */

describe('the rendered chart', () => {
  test('contains exactly the configured objects', () => {
    const kinds = (given: Values) => renderAll(given).map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    expect(kinds(values).toSorted()).toEqual([
      'Deployment mesh-control-plane',
      'Deployment mesh-mcp-gateway',
      'NetworkPolicy mesh-control-plane',
      'NetworkPolicy mesh-mcp-gateway',
      'PodDisruptionBudget mesh-control-plane',
      'PodDisruptionBudget mesh-mcp-gateway',
      'Service mesh-control-plane',
      'Service mesh-mcp-gateway',
    ])
    const parts = ['mesh-agent', 'mesh-control-plane', 'mesh-mcp-gateway']
    expect(kinds(everything()).toSorted()).toEqual(
      [
        'Deployment mesh-control-plane',
        'Deployment mesh-mcp-gateway',
        'StatefulSet mesh-agent',
        ...['NetworkPolicy', 'PodDisruptionBudget', 'Service', 'ServiceMonitor'].flatMap((kind) =>
          parts.map((name) => `${kind} ${name}`),
        ),
        'Ingress mesh',
        'Service mesh-nowhere',
        'PrometheusRule mesh',
        'ServiceAccount mesh',
      ].toSorted(),
    )
    const none = plain((given) => {
      for (const part of ['controlPlane', 'gateway', 'agents']) given[part].enabled = false
    })
    expect(kinds(none)).toEqual([])
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
      expect([name, container.image]).toEqual([
        name,
        expect.stringMatching(/^registry\.example\.com\/mesh\/probe-mesh\/[a-z-]+:1\.0\.0-rc\.1$/),
      ])
      const volumes = (pod['volumes'] as { name: string }[]).map((volume) => volume.name)
      const mounts = container.volumeMounts.map((mount) => mount.name)
      expect(mounts.filter((mount) => mount !== 'spool').toSorted()).toEqual(volumes.toSorted())
    }
  })

  test('sets only known variables for each program, with which it starts', () => {
    const pods = [everything(), plain()].flatMap((given) => podsOf(renderAll(given)))
    for (const { name, program, container } of pods) {
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
      const containerPort = programs[program].port(environmentOf(container))
      const [port, shown] = program === 'agent' ? ['metrics', containerPort] : ['https', 443]
      expect(container.ports).toEqual([{ name: port, containerPort }])
      const service = things.find(({ kind, metadata }) => kind === 'Service' && metadata.name === name)
      expect(service?.spec['ports']).toEqual([{ name: port, port: shown, targetPort: port }])
      for (const [key, path] of [
        ['startupProbe', '/healthz'],
        ['livenessProbe', '/healthz'],
        ['readinessProbe', '/readyz'],
      ] as const) {
        expect(container).toHaveProperty([key, 'httpGet'], expect.objectContaining({ path, port }))
      }
      const policy = things.find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === name)
      expect(policy?.spec['ingress']).toEqual([
        expect.objectContaining({ ports: [{ protocol: 'TCP', port: containerPort }] }),
      ])
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
    for (const { program, container } of podsOf(renderAll(plain()))) {
      const given = environmentOf(container)
      if (program === 'agent') expect(given['METRICS_TOKEN']).toMatch(/./)
      else expect(given['METRICS_TOKEN_FILE']).toBe('/run/secrets/metrics-token')
    }
  })

  test('pulls images from the configured registry, by version and digest', () => {
    const imagesOf = (image: object) => {
      const given = plain((to) => Object.assign(to['image'], image))
      return podsOf(renderAll(given)).map(({ container }) => container.image)
    }
    const digest = `sha256:${'a'.repeat(64)}`
    const at = 'registry.example.com/mesh/probe-mesh'
    const version = (parse(readChart('Chart.yaml')) as { appVersion: string }).appVersion
    expect(imagesOf({ digests: { agent: digest } })).toEqual([
      `${at}/agent:${version}@${digest}`,
      `${at}/control-plane:${version}`,
      `${at}/mcp-gateway:${version}`,
    ])
    expect(imagesOf({ registry: 'localhost:5000', tag: `2.0.0@${digest}` })).toContain(
      `localhost:5000/probe-mesh/agent:2.0.0@${digest}`,
    )
    expect(() => imagesOf({ registry: '' })).toThrow(/^image.registry is not set, and no public registry/)
    const browser = plain((to) => (to['agents'].browser = true))
    expect(podsOf(renderAll(browser))[0]?.container.image).toContain('/agent-browser:')
  })

  test('gives agents the key of their region from their Secret, once', () => {
    const agentOf = (environment: Record<string, string>) => {
      const given = plain((to) => (to['agents'].environment = environment))
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

  test.each<[unknown, string]>([
    ['off', 'off'],
    // what Helm reads for an "off" without quotes
    [false, 'off'],
    ['10.0.0.0/24,10.0.1.0/24', '10.0.0.0/24,10.0.1.0/24'],
  ])('trusts the proxies %j', (trustProxy, expected) => {
    const given = plain((to) => (to['controlPlane'].trustProxy = trustProxy))
    const pod = podsOf(renderAll(given)).find(({ program }) => program === 'control-plane')
    expect(pod && environmentOf(pod.container)['TRUST_PROXY']).toBe(expected)
    expect(pod && programs['control-plane'].problems(environmentOf(pod.container))).toEqual([])
  })

  test('contains no secret', () => {
    for (const name of ['values.yaml', ...templateNames.map((file) => `templates/${file}`)]) {
      expect([name, secretLines(readChart(name))]).toEqual([name, []])
    }
  })

  test('names each variable of a container once, and prefers that of the values', () => {
    for (const { name, container } of podsOf(renderAll(everything()))) {
      const names = container.env.map((one) => one.name)
      expect([name, names.filter((one, at) => names.indexOf(one) !== at)]).toEqual([name, []])
      const chosen = container.env.filter((one) =>
        /^(?:LOG_LEVEL|METRICS_TOKEN|METRICS_TOKEN_FILE)$/.test(one.name),
      )
      expect([name, chosen]).toEqual([
        name,
        [
          { name: 'LOG_LEVEL', value: 'debug' },
          { name: 'METRICS_TOKEN', valueFrom: { secretKeyRef: { name: 'metrics', key: 'token' } } },
        ],
      ])
    }
  })

  test('keeps one pod of each kind away at a time, and drains machines with broken ones', () => {
    const things = renderAll(everything())
    for (const { name } of podsOf(things)) {
      const budget = things.find((one) => one.kind === 'PodDisruptionBudget' && one.metadata.name === name)
      const pods = things.find((one) => /Set$|Deployment/.test(one.kind) && one.metadata.name === name)
      expect(budget?.spec).toEqual({
        maxUnavailable: 1,
        unhealthyPodEvictionPolicy: 'AlwaysAllow',
        selector: pods?.spec['selector'],
      })
    }
  })

  test('gives agents the headless service that their set names, with those that are not ready', () => {
    const things = renderAll(everything())
    const set = things.find(({ kind }) => kind === 'StatefulSet')
    const service = things.find(
      ({ kind, metadata }) => kind === 'Service' && metadata.name === set?.spec['serviceName'],
    )
    expect(service?.spec).toMatchObject({
      clusterIP: 'None',
      publishNotReadyAddresses: true,
      selector: set?.spec['selector'].matchLabels,
    })
  })

  test('puts pods where the values say, and else on different machines', () => {
    const given = everything()
    const { controlPlane } = given
    for (const { name, pod } of podsOf(renderAll(given))) {
      for (const key of [
        'priorityClassName',
        'nodeSelector',
        'tolerations',
        'affinity',
        'topologySpreadConstraints',
      ]) {
        expect([name, key, pod[key]]).toEqual([name, key, controlPlane[key]])
      }
      expect(pod).toMatchObject({ imagePullSecrets: [{ name: 'login' }], serviceAccountName: 'mesh' })
    }
    for (const { pod } of podsOf(renderAll(plain()))) {
      expect(Object.keys(pod)).not.toEqual(expect.arrayContaining(['nodeSelector']))
      expect(pod).toMatchObject({
        serviceAccountName: 'default',
        topologySpreadConstraints: [
          { topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' },
        ],
      })
    }
    const named = plain((to) => (to['serviceAccount'].name = 'ours'))
    expect(podsOf(renderAll(named))[0]?.pod['serviceAccountName']).toBe('ours')
  })
})

describe('the metrics', () => {
  const monitorsOf = (things: Thing[]) => things.filter(({ kind }) => kind === 'ServiceMonitor')

  test('are read from each service, with the token and the jobs of the rules', () => {
    const things = renderAll(everything())
    const { scrape_configs: jobs } = parse(
      readFileSync(new URL('prometheus/prometheus.yml', import.meta.url), 'utf8'),
    ) as { scrape_configs: { job_name: string; scheme?: string }[] }
    const read = monitorsOf(things).map(({ metadata, spec }) => {
      const [endpoint] = spec['endpoints']
      const services = things.filter(
        ({ kind, metadata: { labels } }) =>
          kind === 'Service' &&
          Object.entries(spec['selector'].matchLabels).every(([key, value]) => labels?.[key] === value),
      )
      expect(services.map((service) => service.metadata.name)).toEqual([metadata.name])
      expect(services[0]?.spec['ports'][0].name).toBe(endpoint.port)
      expect(endpoint.tlsConfig?.serverName).toBe(endpoint.scheme === 'https' ? metadata.name : undefined)
      expect(metadata.labels).toMatchObject({ release: 'p' })
      return [endpoint.relabelings[0].replacement, endpoint.scheme, endpoint.authorization.credentials]
    })
    const secrets = [values['secrets'].controlPlane, values['secrets'].gateway, values['agents'].credentials]
    expect(read).toEqual(
      jobs.map(({ job_name: job, scheme }, at) => [job, scheme, { name: secrets[at], key: 'metrics-token' }]),
    )
  })

  test('have the rules of Prometheus without an operator, byte for byte', () => {
    const rule = renderAll(everything()).find(({ kind }) => kind === 'PrometheusRule')
    const alerts = readFileSync(new URL('prometheus/alerts.yml', import.meta.url), 'utf8')
    expect(rule?.spec).toEqual(parse(alerts))
    expect(renderAll(values).map(({ kind }) => kind)).not.toContain('PrometheusRule')
  })

  test.each<[string, object[], unknown]>([
    ['every pod of the cluster by default', values['networkPolicy'].metricsFrom, [{ namespaceSelector: {} }]],
    ['the chosen ones', [{ ipBlock: { cidr: '10.0.0.0/8' } }], [{ ipBlock: { cidr: '10.0.0.0/8' } }]],
    ['nobody', [], undefined],
  ])('of agents can be reached by %s', (_, metricsFrom, from) => {
    const given = plain((to) => (to['networkPolicy'].metricsFrom = metricsFrom))
    const policy = renderAll(given).find(
      ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'mesh-agent',
    )
    expect(policy?.spec['policyTypes']).toEqual(['Ingress'])
    expect(policy?.spec['ingress']).toEqual(
      from === undefined ? [] : [{ ports: [{ protocol: 'TCP', port: 9464 }], from }],
    )
  })
})

describe('the notes', () => {
  const notesOf = (given: Values) => renderFiles(given).get('NOTES.txt') ?? ''

  test('name each secret that the pods mount, and the commands after the start', () => {
    const notes = notesOf(plain())
    const secrets = podsOf(renderAll(plain())).flatMap(({ pod }) =>
      (pod['volumes'] as { secret?: { secretName: string } }[]).flatMap(
        ({ secret }) => secret?.secretName ?? [],
      ),
    )
    expect(secrets.filter((name) => !notes.includes(`  ${name}: `))).toEqual([])
    expect(notes).toContain(
      'exec deployment/mesh-control-plane -- node /app/infra/operate/admin/main.ts doctor',
    )
    expect(notes).toContain('No ingress: https://status.example.com and https://mcp.example.com need a proxy')
    expect(notesOf(everything())).not.toMatch(/No ingress|No alert rules/)
  })
})
