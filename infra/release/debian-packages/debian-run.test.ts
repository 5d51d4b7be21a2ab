import { createHash } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test, vi } from 'vitest'
import { whyNoMachine, type Machine } from '../../deploy/testing/machine.ts'
import { startDebianMachine } from '../../deploy/testing/systemd-machine.ts'
import { recordFigure } from '../../testing/figure.ts'
import { testFolder } from '../../testing/folder.ts'
import { makeDebianPackages } from './artefacts.ts'

/** Installs the packages from a folder with apt on a new Debian 12 with a real systemd, upgrades and purges them. */

const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '')
const folder = testFolder('debian-packages-')
const names = ['agent', 'cli', 'control-plane', 'mcp-gateway'].map((name) => `probe-mesh-${name}`)
const agent = 'probe-mesh-agent@fra-1'
const patience = { timeout: 60_000, interval: 500 }
const reason = await whyNoMachine()
if (reason !== null) console.info(`the Debian packages are not installed: ${reason}`)

const time = new Date('2026-11-30T12:00:00Z')
const release = (part: string, version: string) => ({
  root,
  out: join(folder, part),
  version,
  providerVersion: '0.1.0',
  commit: null,
  time,
})
const amd64 = ['linux-x64'] as const
const apt = 'DEBIAN_FRONTEND=noninteractive apt-get --yes --no-install-recommends'

const show = async (machine: Machine, property: string): Promise<string> =>
  (await machine.run(`systemctl show ${agent} --property ${property} --value`)).trim()
/** NATS took its credentials; the machine has no control plane, so nothing more can come. */
const admitted = '"notReady":["assignments"],"bus":"away","problems":["no control plane has region fra'
const isConnected = (machine: Machine): Promise<void> =>
  vi.waitFor(async () => {
    expect(await machine.run('curl --silent http://127.0.0.1:9464/readyz')).toContain(admitted)
  }, patience)

/** As docs/deploy-debian.md says, without TLS on the loopback. */
const configure = `
cd /etc/probe-mesh/secrets
umask 077
for name in secrets-key gateway-key; do od -An -N32 -tx1 /dev/urandom | tr -d ' \\n' > $name; done
echo postgres://mesh:mesh@127.0.0.1:5432/mesh > database-url
echo http://mesh:mesh@127.0.0.1:8123/mesh > clickhouse-url
probe-mesh-nats-config --regions fra --out /etc/probe-mesh/nats --listen 127.0.0.1:4222 --store /var/lib/probe-mesh-nats
mkdir /etc/probe-mesh/secrets/nats
systemctl disable --now nats-server
systemctl enable --now probe-mesh-nats
probe-mesh-admin agent enroll --region fra --name fra-1 --keys /etc/probe-mesh/nats --out /etc/probe-mesh/secrets/agent-fra-1.creds
printf 'REGION=fra\\nNATS_URL=nats://127.0.0.1:4222\\n' > /etc/probe-mesh/agent.env
systemctl enable --now ${agent}
`

test.skipIf(reason !== null)(
  'apt installs the packages from a folder and starts nothing; an upgrade restarts what ran with its settings; a purge leaves nothing',
  { timeout: 1_200_000 },
  async (context) => {
    const began = performance.now()
    const made = await makeDebianPackages(release('candidate', '1.0.0-rc.1'), { on: amd64 })
    await makeDebianPackages(release('final', '1.0.0'), { names: ['probe-mesh-agent'], on: amd64 })
    const buildMs = performance.now() - began
    const machine = await startDebianMachine({ host: 'status.example.com', see: { '/packages': folder } })
    try {
      await machine.run(`apt-get update && ${apt} install curl nats-server`)
      const since = performance.now()
      await machine.run(`${apt} install /packages/candidate/*.deb`)
      const installMs = performance.now() - since
      const sizes = await machine.run(
        `dpkg-query --show --showformat '\${Package} \${Version} \${Installed-Size} KiB\\n' 'probe-mesh-*'`,
      )
      expect(sizes.match(/^probe-mesh-\S+ 1\.0\.0~rc\.1 /gm)).toHaveLength(names.length)
      expect(await machine.run("systemctl list-units --all --plain --no-legend 'probe-mesh-*'")).toBe('')
      expect(
        await machine.run("systemctl list-unit-files --state enabled --no-legend 'probe-mesh-*' || true"),
      ).toBe('')
      expect(await machine.run('dpkg --verify probe-mesh-agent probe-mesh-control-plane')).toBe('')
      expect(await machine.run('find /etc/probe-mesh/secrets /etc/probe-mesh/tls -type f')).toBe('')
      for (const command of ['agent', 'mcp-gateway', 'control-plane', 'admin', 'nats-config']) {
        expect(await machine.run(`probe-mesh-${command} --help`)).toContain(command)
      }
      expect(await machine.run('probe-mesh --help; /usr/bin/service --help')).toContain('checks')
      // native code of packages, on this machine
      const native = "require('@node-rs/argon2').hashSync('a').slice(0,9)+require('sharp').versions.sharp[0]"
      expect(await machine.run(`cd /usr/lib/probe-mesh && bin/node -p "${native}"`)).toBe('$argon2id0\n')

      await machine.run(configure)
      await isConnected(machine)
      const before = await show(machine, 'MainPID')
      await machine.run(`${apt} install /packages/final/*.deb`)
      expect(await machine.run("dpkg-query --show --showformat '${Version}' probe-mesh-agent")).toBe('1.0.0')
      expect(await show(machine, 'MainPID')).not.toBe(before)
      expect(await show(machine, 'ActiveState')).toBe('active')
      await isConnected(machine)
      expect(await machine.run('cat /etc/probe-mesh/agent.env')).toContain('REGION=fra\n')
      expect(
        await machine.run("systemctl list-units --plain --no-legend 'probe-mesh-mcp*' 'probe-mesh-control*'"),
      ).toBe('')

      await machine.run(`${apt} remove ${names.join(' ')}`)
      expect(await machine.run("systemctl list-units --plain --no-legend 'probe-mesh-*'")).toBe('')
      expect(await machine.run('pgrep --full /usr/bin/probe-mesh- || echo none')).toBe('none\n')
      expect(await machine.run('ls /etc/probe-mesh/secrets /var/lib/private/probe-mesh')).toContain(
        'agent-fra-1.creds',
      )
      // a package without settings is forgotten already
      await machine.run(`${apt} purge ${names.filter((name) => name !== 'probe-mesh-cli').join(' ')}`)
      // the logs of the machine and of apt stay
      const left = "find / -xdev -name '*probe-mesh*' -not -path '/packages*' -not -path '/tmp/*'"
      expect(await machine.run(left)).toBe('')
      await recordFigure(
        context,
        `${made.length + 1} packages made in ${Math.round(buildMs / 1_000)} s, four installed in ${(installMs / 1_000).toFixed(1)} s: ${sizes.trim().replaceAll('\n', ', ')}`,
      )
    } finally {
      await machine.close()
    }
  },
)

test.skipIf(reason !== null)('a package of the same files is the same', { timeout: 300_000 }, async () => {
  const sums = new Set<string>()
  for (const part of ['once', 'again']) {
    await mkdir(join(folder, part))
    const [made] = await makeDebianPackages(release(part, '1.0.0'), { names: ['probe-mesh-cli'], on: amd64 })
    sums.add(
      createHash('sha256')
        .update(await readFile(join(folder, part, made?.file ?? '')))
        .digest('hex'),
    )
  }
  expect(sums.size).toBe(1)
})
