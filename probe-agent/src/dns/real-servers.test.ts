import { spawn } from 'node:child_process'
import { promises as dns } from 'node:dns'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '@probe-mesh/runtime/errors'
import { findDebianProgram } from '@probe-mesh/infra/testing/debian-program'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { freePorts } from '@probe-mesh/infra/testing/processes/free-ports'
import { expect, onTestFinished, test } from 'vitest'
import { createOwnResolver } from './resolver.ts'

/** Look-ups of name servers and resolvers that people run, beside c-ares. */

const zone = 'look-up.example.com'
const many = Array.from(
  { length: 80 },
  (_, at) => `many 60 A 192.0.2.${at + 1}\nmany 60 AAAA 2001:db8::${at + 1}`,
)
const aliases = Array.from({ length: 7 }, (_, at) => `alias${at} 60 CNAME alias${at + 1}`)
const zoneText = `$ORIGIN ${zone}.
@ 60 SOA ns hostmaster 1 60 60 600 45
@ 60 NS ns
ns 60 A 127.0.0.1
v4 60 A 192.0.2.1
v6 60 AAAA 2001:db8::1
both 60 A 192.0.2.1
both 60 AAAA 2001:db8::1
text 60 TXT "no address"
*.wild 60 A 192.0.2.9
lost 60 CNAME nowhere
${aliases.join('\n')}
alias7 60 A 192.0.2.7
${many.join('\n')}
`
const names = ['v4', 'v6', 'both', 'text', 'any.wild', 'lost', 'alias0', 'many', 'none', 'ns', 'V4', 'both.']

const folder = testFolder('name-servers-')

type Setting = { at: string; port: number; upstream: number }

/** How each is started: its own zone, or the one of Knot behind it. */
const programs: Record<string, { of: string; program: string; start(setting: Setting): Promise<string[]> }> =
  {
    knot: {
      of: 'knot',
      program: 'knotd',
      start: async ({ at, port }) => {
        await writeFile(
          join(at, 'knot.conf'),
          `server:\n  rundir: "${at}"\n  pidfile: "${at}/pid"\n  listen: ["127.0.0.1@${port}"]\n  udp-workers: 1\n  tcp-workers: 1\n  background-workers: 1\ndatabase:\n  storage: "${at}/db"\ntemplate:\n  - id: default\n    storage: "${at}"\nzone:\n  - domain: "${zone}"\n    file: "zone"\n`,
        )
        return ['-c', join(at, 'knot.conf')]
      },
    },
    bind: {
      of: 'bind9',
      program: 'named',
      start: async ({ at, port }) => {
        await writeFile(
          join(at, 'named.conf'),
          `options { directory "${at}"; pid-file none; session-keyfile none; listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; }; recursion no; };\ncontrols { };\nzone "${zone}" { type primary; file "${at}/zone"; };\n`,
        )
        return ['-g', '-n', '1', '-c', join(at, 'named.conf')]
      },
    },
    unbound: {
      of: 'unbound',
      program: 'unbound',
      start: async ({ at, port, upstream }) => {
        await writeFile(
          join(at, 'unbound.conf'),
          `server:\n  interface: 127.0.0.1\n  port: ${port}\n  do-ip6: no\n  do-daemonize: no\n  do-not-query-localhost: no\n  username: ""\n  chroot: ""\n  directory: "${at}"\n  pidfile: ""\n  use-syslog: no\n  num-threads: 1\n  module-config: "iterator"\nremote-control:\n  control-enable: no\nstub-zone:\n  name: "${zone}"\n  stub-addr: 127.0.0.1@${upstream}\n`,
        )
        return ['-d', '-c', join(at, 'unbound.conf')]
      },
    },
    dnsmasq: {
      of: 'dnsmasq-base',
      program: 'dnsmasq',
      start: async ({ at, port, upstream }) => {
        await writeFile(join(at, 'dnsmasq.conf'), '')
        const flags = ['-k', '-R', '-h', '-u', 'root', `--conf-file=${join(at, 'dnsmasq.conf')}`]
        return [
          ...flags,
          `--port=${port}`,
          '--listen-address=127.0.0.1',
          '--bind-interfaces',
          `--server=127.0.0.1#${upstream}`,
        ]
      },
    },
  }

const startServer = async (name: string, upstream: number): Promise<number> => {
  const program = programs[name]
  if (program === undefined) throw new Error(name)
  const path = await findDebianProgram(program.of, { mayFetch: true, program: program.program })
  const at = join(folder, name)
  const [port = 0] = await freePorts(1)
  await mkdir(join(at, 'db'), { recursive: true })
  await writeFile(join(at, 'zone'), zoneText)
  const child = spawn(path, await program.start({ at, port, upstream }), { stdio: 'ignore' })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null) await once(child, 'exit')
  })
  const resolver = resolverAt(port)
  await expect
    .poll(() => resolver.resolve4(`v4.${zone}`).catch(codeOf), { timeout: 20_000 })
    .toEqual(['192.0.2.1'])
  return port
}

const resolverAt = (port: number): dns.Resolver => {
  const resolver = new dns.Resolver({ timeout: 2_000, tries: 2 })
  resolver.setServers([`127.0.0.1:${port}`])
  return resolver
}

const said = (asked: Promise<string[]>): Promise<string> =>
  asked.then((values) => values.toSorted().join(' ') || 'ENODATA', codeOf)

test.each(Object.keys(programs))(
  '%s is understood as c-ares understands it, over UDP and TCP, and says how long an absence lasts',
  async (name) => {
    const upstream = name === 'knot' || name === 'bind' ? 0 : await startServer('knot', 0)
    const port = await startServer(name, upstream)
    const own = createOwnResolver({ read: () => ({ servers: [`127.0.0.1:${port}`] }) })
    onTestFinished(own.close)
    const different: unknown[] = []
    for (const host of names.map((each) =>
      each.endsWith('.') ? `${each.slice(0, -1)}.${zone}.` : `${each}.${zone}`,
    )) {
      for (const question of ['resolve4', 'resolve6', 'resolveCname', 'resolveNs'] as const) {
        const [ours, theirs] = [await said(own[question](host)), await said(resolverAt(port)[question](host))]
        if (ours !== theirs) different.push([host, question, ours, theirs])
      }
    }
    expect(different).toEqual([])
    expect(own.counts()).toMatchObject({ truncated: 2, ignored: 0, waiting: 0 })
    const { code, absentSeconds } = await own.say(`v4.${zone}`, 'AAAA')
    expect(code).toBe('ENODATA')
    expect(absentSeconds).toBeGreaterThan(0)
    expect(absentSeconds).toBeLessThanOrEqual(45)
  },
  60_000,
)
