// Servers of Debian in a mount and a network namespace, in which their packages look installed; a tcp or smtp check of
// each, and openssl at the same place. Prints the results.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import net from 'node:net'
import { join } from 'node:path'
import { setTimeout as elapse } from 'node:timers/promises'
import { SmtpSettings } from '@probe-mesh/check-types/smtp/settings'
import { probeSmtp } from '@probe-mesh/check-types/smtp/probe/probe-smtp'
import { TcpSettings } from '@probe-mesh/check-types/tcp/settings'
import { probeTcp } from '@probe-mesh/check-types/tcp/probe/probe-tcp'
import { parseAllowList } from '@probe-mesh/contracts/target/address'
import { createTrust } from '@probe-mesh/probe-agent/request/connect'
import { createResolver } from '@probe-mesh/probe-agent/request/resolve'
import { unlimited } from '@probe-mesh/probe-agent/src/request/unlimited'
import type { ProbeContext } from '@probe-mesh/probe-agent/src/probes/probe'
import { cases, named, other, type Case, type Report, type Stage } from '../cases.ts'

const [stageFile = ''] = process.argv.slice(2)
const { folder, root, postgres }: Stage = JSON.parse(await readFile(stageFile, 'utf8'))
const at = (name: string): string => join(folder, name)
const startMsMax = 30_000
const deadlineMs = 10_000
const nobody = '65534'

const run = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

/** The files of the packages above those of the machine, for this namespace only. */
for (const tree of ['usr', 'etc']) {
  run('mount', '-t', 'overlay', 'overlay', '-o', `lowerdir=${join(root, tree)}:/${tree}`, `/${tree}`)
}
run('ip', 'link', 'set', 'lo', 'up')

const children: ChildProcess[] = []
const start = (program: string, args: string[], environment: NodeJS.ProcessEnv = {}): void => {
  const child = spawn(program, args, { stdio: ['ignore', 2, 2], env: { ...process.env, ...environment } })
  children.push(child)
}
const asNobody = ['--reuid', nobody, '--regid', nobody, '--clear-groups']

const dovecot = async (): Promise<void> => {
  const config = `
base_dir = ${at('dovecot')}
state_dir = ${at('dovecot')}
log_path = /dev/stderr
protocols = imap pop3
listen = 127.0.0.1
default_internal_user = nobody
default_internal_group = nogroup
default_login_user = nobody
service anvil {
  chroot =
}
service imap-login {
  chroot =
}
service pop3-login {
  chroot =
}
mail_location = maildir:${at('mail')}
ssl = yes
ssl_cert = <${at('imap.pem')}
ssl_key = <${at('imap.key')}
passdb {
  driver = static
  args = nopassword=y
}
userdb {
  driver = static
  args = uid=65534 gid=65534 home=${at('mail')}
}
`
  await writeFile(at('dovecot.conf'), config)
  start('/usr/sbin/dovecot', ['-F', '-c', at('dovecot.conf')])
}

const slapd = async (): Promise<void> => {
  const base = (name: string): string => `
include /etc/ldap/schema/core.schema
pidfile ${at(`${name}.pid`)}
modulepath /usr/lib/ldap
moduleload back_mdb
database mdb
suffix "dc=example,dc=org"
directory ${at(name)}
`
  const tls = `
TLSCertificateFile ${at('ldap.pem')}
TLSCertificateKeyFile ${at('ldap.key')}
`
  await mkdir(at('ldap'))
  await mkdir(at('ldap-plain'))
  await writeFile(at('slapd.conf'), tls + base('ldap'))
  await writeFile(at('slapd-plain.conf'), base('ldap-plain'))
  const urls = 'ldap://127.0.0.1:389 ldaps://127.0.0.1:636'
  start('/usr/sbin/slapd', ['-d', '0', '-f', at('slapd.conf'), '-h', urls])
  start('/usr/sbin/slapd', ['-d', '0', '-f', at('slapd-plain.conf'), '-h', 'ldap://127.0.0.1:1389'])
}

const prosody = async (): Promise<void> => {
  await mkdir(at('prosody'))
  await chmod(at('prosody'), 0o777)
  const config = `
run_as_root = true
pidfile = "${at('prosody.pid')}"
data_path = "${at('prosody')}"
interfaces = { "127.0.0.1" }
modules_enabled = { "tls", "saslauth" }
modules_disabled = { "s2s" }
c2s_require_encryption = true
log = { warn = "*console" }
ssl = { certificate = "${at('xmpp.pem')}", key = "${at('xmpp.key')}" }
VirtualHost "${named}"
`
  await writeFile(at('prosody.cfg.lua'), config)
  start('/usr/bin/prosody', ['-F', '--config', at('prosody.cfg.lua')])
}

const postgresql = async (): Promise<void> => {
  for (const [name, port, more] of [
    [
      'pg',
      '5432',
      ['-c', 'ssl=on', '-c', `ssl_cert_file=${at('pg.pem')}`, '-c', `ssl_key_file=${at('pg.key')}`],
    ],
    ['pg-plain', '5433', []],
  ] as const) {
    await mkdir(at(name))
    run('chown', nobody, at(name))
    run('setpriv', ...asNobody, join(postgres, 'initdb'), '-D', at(name), '-U', 'test', '--no-sync')
    const where = [
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      `unix_socket_directories=${at(name)}`,
      '-p',
      port,
    ]
    start('setpriv', [...asNobody, join(postgres, 'postgres'), '-D', at(name), ...where, ...more])
  }
}

const postfix = async (): Promise<void> => {
  const [config, queue, data] = [at('postfix'), at('queue'), at('postfix-data')]
  for (const each of [config, queue, data]) await mkdir(each)
  run('chown', nobody, data)
  const main = `
compatibility_level = 3.6
queue_directory = ${queue}
data_directory = ${data}
mail_owner = nobody
setgid_group = staff
default_privs = daemon
myhostname = ${named}
mydestination =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
maillog_file_prefixes = ${folder}
maillog_file = ${at('mail.log')}
smtpd_tls_chain_files = ${at('smtp.key')}, ${at('smtp.pem')}
smtpd_tls_security_level = may
local_recipient_maps =
alias_maps =
alias_database =
`
  /** A line of master.cf: name, type, private, unprivileged, chroot, wake-up, processes, command. */
  const service = (name: string, type: string, isPrivate: boolean, command: string): string =>
    `${name} ${type} ${isPrivate ? 'y' : 'n'} - n - 1 ${command}\n`
  const refusesEhlo = 'smtpd -o smtpd_command_filter=regexp:{{/^EHLO.*/ UNKNOWN}}'
  const master =
    service('127.0.0.1:25', 'inet', false, 'smtpd') +
    service('127.0.0.1:2525', 'inet', false, refusesEhlo) +
    service('postlog', 'unix-dgram', false, 'postlogd') +
    service('cleanup', 'unix', false, 'cleanup') +
    service('qmgr', 'unix', false, 'qmgr') +
    service('rewrite', 'unix', true, 'trivial-rewrite') +
    ['proxymap', 'anvil', 'tlsmgr'].map((name) => service(name, 'unix', true, name)).join('')
  await writeFile(join(config, 'main.cf'), main)
  await writeFile(join(config, 'master.cf'), master)
  start('/usr/sbin/postfix', ['-c', config, 'start-fg'])
}

const nginx = async (): Promise<void> => {
  const server = (listen: string, name: string, pair: string, more = ''): string => `
  server { listen 127.0.0.1:${listen}; server_name ${name};
    ssl_certificate ${at(`${pair}.pem`)}; ssl_certificate_key ${at(`${pair}.key`)}; ${more} return 200; }`
  const config = `
daemon off; pid ${at('nginx.pid')}; error_log stderr error; user root;
events {}
http {
  access_log off; client_body_temp_path ${at('b')}; proxy_temp_path ${at('p')}; fastcgi_temp_path ${at('f')};
  uwsgi_temp_path ${at('u')}; scgi_temp_path ${at('s')};
  server { listen 127.0.0.1:8080; return 200; }
  ${server('8443 ssl', named, 'web')} ${server('8443 ssl', other, 'other')}
  ${server('8444 ssl', named, 'web', 'ssl_protocols TLSv1; ssl_ciphers ALL:@SECLEVEL=0;')}
  ${server('8445 ssl', named, 'expired')}
}
`
  await writeFile(at('nginx.conf'), config)
  start('/usr/sbin/nginx', ['-c', at('nginx.conf')])
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = net.connect({ host: '127.0.0.1', port })
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

const settingsOf = (each: Case) => ('tcp' in each ? each.tcp : each.smtp)

const untilOpen = async (): Promise<void> => {
  const endMs = performance.now() + startMsMax
  for (const each of cases) {
    const { port } = settingsOf(each)
    while (!(await isOpen(port))) {
      if (performance.now() > endMs) throw new Error(`${each.name} does not listen on port ${port}`)
      await elapse(100)
    }
  }
}

const parsed = parseAllowList(['127.0.0.0/8'])
if (!parsed.ok) throw new Error(parsed.problems.join())
const capabilities = {
  allow: parsed.allow,
  resolver: createResolver(),
  ownAddresses: () => new Set<string>(),
  ...unlimited,
  trust: createTrust([await readFile(at('ca.pem'), 'utf8')]),
  now: Date.now,
  userAgent: 'ProbeMesh/test (+uptime monitoring)',
  sentRegion: null,
}
const base = {
  checkId: '0190a000-0000-7000-8000-000000000001',
  accountId: 'a',
  region: 'fra',
  revision: 1,
  validFrom: 0,
  intervalSeconds: 60,
  owner: 'account',
} as const

const measure = (each: Case, context: ProbeContext) =>
  'tcp' in each
    ? probeTcp(
        { ...base, type: 'tcp', settings: TcpSettings.parse({ host: named, ...each.tcp }) },
        context,
        capabilities,
      )
    : probeSmtp(
        { ...base, type: 'smtp', settings: SmtpSettings.parse({ host: named, ...each.smtp }) },
        context,
        capabilities,
      )

/** The end of the certificate that `openssl s_client` gets. */
const byOpenssl = (each: Case): number | null => {
  const { port, ...settings } = settingsOf(each)
  const name = settings.serverName ?? named
  const sni = each.openssl.includes('-noservername') ? [] : ['-servername', name]
  const where = ['-connect', `127.0.0.1:${port}`, ...sni, ...each.openssl]
  const script =
    'timeout 10 openssl s_client "$@" </dev/null 2>/dev/null | openssl x509 -noout -enddate 2>/dev/null'
  try {
    const [, date = ''] = /notAfter=(.*)/.exec(run('sh', '-c', script, 'sh', ...where)) ?? []
    const ms = Date.parse(date)
    return Number.isNaN(ms) ? null : ms
  } catch {
    return null
  }
}

const versionOf = (program: string, ...args: string[]): string =>
  /\d+\.\d+(?:\.\d+)*/.exec(run('sh', '-c', '"$0" "$@" 2>&1', program, ...args))?.[0] ?? ''

for (const serve of [dovecot, slapd, prosody, postgresql, postfix, nginx]) await serve()
try {
  await untilOpen()
  const report: Report = {
    versions: [
      `dovecot ${versionOf('/usr/sbin/dovecot', '--version')}`,
      `postfix ${versionOf('/usr/sbin/postconf', '-c', at('postfix'), '-h', 'mail_version')}`,
      `nginx ${versionOf('/usr/sbin/nginx', '-v')}`,
      `postgres ${versionOf(join(postgres, 'postgres'), '--version')}`,
      `slapd ${versionOf('sh', '-c', '/usr/sbin/slapd -VV')}`,
    ].join(', '),
    cases: {},
  }
  for (const each of cases) {
    const context = { signal: AbortSignal.timeout(deadlineMs), deadlineMs, onConnected: () => undefined }
    const { trace, judgement } = await measure(each, context)
    const { details } = trace
    report.cases[each.name] = {
      result: `${judgement.verdict} ${judgement.cause}`,
      reason: judgement.reason,
      expiresAt: trace.certificateExpiresAt,
      opensslExpiresAt: byOpenssl(each),
      tlsVersion: details !== null && 'tlsVersion' in details ? (details.tlsVersion ?? null) : null,
    }
  }
  process.stdout.write(`${JSON.stringify(report)}\n`)
} finally {
  for (const child of children) child.kill()
}
process.exit(0)
