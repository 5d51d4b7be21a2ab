import { execFile } from 'node:child_process'
import { readFile, readdir } from 'node:fs/promises'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { composeFolder, readDeployment, type Deployment, type Service } from './testing/compose-config.ts'
import {
  programs,
  secretsInClear,
  unknownVariables,
  type Environment,
  type ProgramName,
} from './testing/programs.ts'
import { secretLines } from './testing/secrets.ts'

/** The file of a full deployment, parsed by Docker Compose. */
const read = (name: string): Promise<string> => readFile(`${composeFolder}/${name}`, 'utf8')
let deployment: Deployment
let services: [string, Service][]
beforeAll(async () => {
  deployment = await readDeployment()
  services = Object.entries(deployment.services)
}, 120_000)

const find = (name: string): Service => {
  const service = deployment.services[name]
  if (service === undefined) throw new Error(`there is no ${name}`)
  return service
}
const ours = (): [string, ProgramName, Environment][] =>
  services.flatMap(([name, { image, environment: given }]) => {
    const program = /^probe-mesh\/([a-z-]+):/.exec(image)?.[1]
    return program === undefined ? [] : [[name, program as ProgramName, given ?? {}]]
  })

test('has every part of the mesh often enough to lose one', () => {
  const names = services.map(([name]) => name)
  const count = (form: RegExp) => names.filter((name) => form.test(name)).length
  expect([
    count(/^nats-\d$/),
    count(/^keeper-\d$/),
    count(/^clickhouse-[12]-[12]$/),
    count(/^postgres-(primary|standby)$/),
    count(/^control-plane-\d$/),
    count(/^gateway-\d$/),
    count(/^leaf-(fra|iad)$/),
    count(/^agent-fra-\d$/),
    count(/^agent-iad-\d$/),
    names.length,
  ]).toEqual([3, 3, 4, 2, 2, 2, 2, 2, 2, 23])
})

test('lets either Postgres server be the primary, and no service waits for one by name', async () => {
  const [one, two] = [find('postgres-primary'), find('postgres-standby')]
  expect(one.entrypoint).toEqual(two.entrypoint)
  expect([one.environment?.['PEER'], two.environment?.['PEER']]).toEqual([
    'postgres-standby',
    'postgres-primary',
  ])
  expect(one.secrets).toEqual(two.secrets)
  for (const [name, { depends_on: waitsFor }] of services) {
    const named = Object.keys(waitsFor ?? {}).filter((other) => other.startsWith('postgres-'))
    expect([name, named]).toEqual([name, []])
  }
  // this call creates an empty database, which only the mark of a new mesh allows
  const follow = await read('postgres/follow.sh')
  expect(follow.split('docker-entrypoint.sh')).toHaveLength(2)
  expect(follow).toMatch(/-e "\$home\/new-system" \]; then\n {2}exec docker-entrypoint\.sh/)
})

test('runs no container as root, with a writable image, new privileges or without limits', () => {
  for (const [name, service] of services) {
    expect([name, service]).toEqual([
      name,
      expect.objectContaining({
        user: '10001:10001',
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        restart: 'unless-stopped',
      }),
    ])
    expect([name, service.privileged ?? false, service.cap_add ?? []]).toEqual([name, false, []])
    const { cpus, memory, pids } = service.deploy?.resources?.limits ?? {}
    expect([name, [cpus, memory, pids].every((bound) => Number(bound) > 0)]).toEqual([name, true])
    expect([name, service.healthcheck?.test?.[0]]).toEqual([name, expect.stringMatching(/^CMD/)])
  }
})

test('pins the version of every image', () => {
  for (const [name, { image }] of services) {
    expect([name, image]).toEqual([name, expect.stringMatching(/:\d+\.\d+[\w.-]*(@sha256:[0-9a-f]{64})?$/)])
  }
})

test('sets only known variables for each program, with which it starts', () => {
  expect(ours()).toHaveLength(8)
  for (const [name, program, given] of ours()) {
    expect([name, unknownVariables(program, given)]).toEqual([name, []])
    expect([name, programs[program].problems(given)]).toEqual([name, []])
  }
})

test('mounts every secret as a file, only in the containers that need it', () => {
  for (const [name, program, given] of ours()) {
    expect([name, secretsInClear(program, given)]).toEqual([name, []])
    for (const [variable, path] of Object.entries(given)) {
      if (!path.startsWith('/run/secrets/')) continue
      const held = (find(name).secrets ?? []).map(({ source, target }) => target ?? source)
      const short = held.map((place) => place.replace('/run/secrets/', ''))
      expect([name, variable, short]).toEqual([
        name,
        variable,
        expect.arrayContaining([path.replace('/run/secrets/', '')]),
      ])
    }
  }
  const agents = services.filter(([name]) => name.startsWith('agent-'))
  for (const [name, { secrets }] of agents) {
    expect(secrets?.map(({ source }) => source)).toEqual([
      `${name}.creds`,
      `region-key-${name.split('-')[1]}`,
    ])
  }
  const whoHas = (secret: string) =>
    services.flatMap(([name, service]) =>
      (service.secrets ?? []).some(({ source }) => source === secret) ? [name] : [],
    )
  expect(whoHas('database-url')).toEqual(['control-plane-1', 'control-plane-2'])
  expect(whoHas('gateway-key')).toHaveLength(4)
  expect(whoHas('metrics-token')).toHaveLength(4)
  for (const [, { file }] of Object.entries(deployment.secrets)) expect(file).toContain('/state/')
})

test('contains no secret, and the files of prepare.sh are not committed', async () => {
  const names = await readdir(composeFolder, { recursive: true, withFileTypes: true })
  for (const entry of names) {
    if (!entry.isFile() || entry.parentPath.includes('/state')) continue
    const text = await readFile(`${entry.parentPath}/${entry.name}`, 'utf8')
    expect([entry.name, secretLines(text)]).toEqual([entry.name, []])
  }
  expect((await read('.gitignore')).split('\n')).toEqual(expect.arrayContaining(['state/', '.env']))
})

describe('the networks', () => {
  test('expose one entrance, which does not lead to databases or NATS', () => {
    const open = services.flatMap(([name, { ports }]) => (ports ?? []).map(() => name))
    expect(open).toEqual(['proxy'])
    for (const network of ['stores', 'hub']) {
      expect(deployment.networks[network]?.internal).toBe(true)
    }
    const networksOf = (name: string) => Object.keys(find(name).networks ?? {}).toSorted()
    expect(networksOf('agent-fra-1')).toEqual(['region-fra'])
    expect(networksOf('leaf-fra')).toEqual(['hub', 'region-fra'])
    expect(networksOf('gateway-1')).toEqual(['front'])
    expect(networksOf('proxy')).toEqual(['front'])
  })

  test('contain each server with its clients, at the port where it listens', async () => {
    const proxied = [...(await read('haproxy/haproxy.cfg')).matchAll(/^ {2}server (\S+) (\S+):(\d+) /gm)]
    expect(proxied).toHaveLength(6)
    const upstreams = proxied.map(([, , host = '', port]) => ['proxy', host, Number(port)] as const)
    for (const [from, host, port] of upstreams) {
      const [, program, given] = ours().find(([name]) => name === host) ?? []
      if (program === undefined || given === undefined) throw new Error(`${host} is no program`)
      expect([host, programs[program].port(given)]).toEqual([host, port])
      expect(shared(from, host)).not.toEqual([])
    }
    for (const [name, , given] of ours()) {
      for (const url of [...(given['NATS_URL'] ?? '').split(','), given['CONTROL_PLANE_URL'] ?? '']) {
        if (url === '') continue
        const { protocol, hostname, port } = new URL(url)
        expect([name, url, protocol]).toEqual([name, url, expect.stringMatching(/^(tls|https):$/)])
        expect([name, hostname, shared(name, hostname)]).not.toEqual([name, hostname, []])
        expect(port).toBe(hostname === 'proxy' ? '8444' : '4222')
      }
    }
  })

  const shared = (one: string, other: string): string[] =>
    Object.keys(find(one).networks ?? {}).filter((network) => network in (find(other).networks ?? {}))

  test('carry TLS only', async () => {
    const clickhouse = await read('clickhouse/cluster.xml')
    for (const name of ['http_port', 'tcp_port', 'interserver_http_port']) {
      expect(clickhouse).toContain(`<${name} remove="1"/>`)
    }
    expect([...clickhouse.matchAll(/<replica><host>/g)]).toHaveLength(4)
    expect([...clickhouse.matchAll(/<port>9440<\/port><secure>1<\/secure>/g)]).toHaveLength(4)
    expect([...clickhouse.matchAll(/<port>9281<\/port><secure>1<\/secure>/g)]).toHaveLength(3)
    const keeper = await read('keeper/keeper.xml')
    expect(keeper).toContain('<secure>true</secure>')
    expect(keeper).not.toContain('<tcp_port>')
    const hba = (await read('postgres/pg_hba.conf')).split('\n').filter((row) => /^[a-z]/.test(row))
    const overNetwork = hba.filter((row) => !row.startsWith('local'))
    expect(overNetwork.every((row) => /^hostssl|reject$/.test(row))).toBe(true)
    expect(overNetwork.at(-1)).toMatch(/^host +all +all +all +reject$/)
    const proxy = await read('haproxy/haproxy.cfg')
    for (const row of proxy.split('\n').filter((text) => /^ {2}bind /.test(text))) {
      expect(row).toMatch(/ ssl | 127\.0\.0\.1:/)
    }
    expect([...proxy.matchAll(/default-server .*ssl verify required ca-file/g)]).toHaveLength(2)
    for (const [name, program, given] of ours()) {
      if (program === 'agent') expect([name, given['HOST']]).toEqual([name, '127.0.0.1'])
      else expect([name, given['TLS_CERT']]).toEqual([name, '/run/tls/server.pem'])
    }
  })

  test('do not expose metrics through the proxy, and each part requires a token for them', async () => {
    const sections = (await read('haproxy/haproxy.cfg')).split(/^(?=\w)/m)
    const frontends = sections.filter((text) => /^frontend (?!alive)/.test(text))
    expect(frontends).toHaveLength(2)
    for (const door of frontends) {
      const rule = /http-request return status 404 if \{ path,url_dec -m reg -i (\S+) \}/.exec(door)
      const denied = new RegExp(rule?.[1] ?? 'no rule', 'i')
      for (const path of ['/metrics', '//metrics', '/metrics/', '/METRICS']) {
        expect([path, denied.test(path)]).toEqual([path, true])
      }
      for (const path of ['/', '/v1/metrics', '/metrics-of-mine', '/status/metrics']) {
        expect([path, denied.test(path)]).toEqual([path, false])
      }
      const order = ['http-request return', 'use_backend', 'default_backend'].map((step) =>
        door.indexOf(step),
      )
      expect(order.filter((at) => at >= 0)).toEqual(order.filter((at) => at >= 0).toSorted((a, b) => a - b))
    }
    for (const [name, program, given] of ours()) {
      if (program === 'agent') continue
      expect([name, given['METRICS_TOKEN_FILE']]).toEqual([name, '/run/secrets/metrics-token'])
    }
  })

  test('include the trusted addresses of X-Forwarded-For: those of the proxy', () => {
    const subnet = deployment.networks['front']?.ipam?.config?.[0]?.subnet
    for (const [name, program, given] of ours()) {
      if (program !== 'agent') expect([name, given['TRUST_PROXY']]).toEqual([name, subnet])
    }
  })

  test('use only certificates that prepare.sh creates', async () => {
    const script = await read('prepare.sh')
    const made = /for name in (nats-[\s\S]*?); do\n {2}certify/.exec(script)?.[1] ?? ''
    const { stdout } = await promisify(execFile)('bash', [
      '-c',
      `echo ${made.replaceAll('\\\n', '')} proxy leaf-fra leaf-iad`,
    ])
    const names = new Set(stdout.trim().split(' '))
    for (const [name, { volumes, image }] of services) {
      const tls = (volumes ?? []).find(({ target }) => target === '/run/tls')
      expect([name, tls?.source.endsWith(`/state/tls/${name}`), tls?.read_only]).toEqual([name, true, true])
      if (!image.startsWith('probe-mesh/agent')) expect([name, names.has(name)]).toEqual([name, true])
    }
  })
})
