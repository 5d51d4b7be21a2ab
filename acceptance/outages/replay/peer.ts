import { spawn, type ChildProcess } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as elapse } from 'node:timers/promises'
import { timeoutsOf } from '@probe-mesh/contracts/check/check-timeout'

/** A blackbox_exporter in a region, which probes the same services as often as the agent does. */

export type PeerSettings = {
  /** The hosts by slug of the service. */
  hosts: Readonly<Record<string, string>>
  intervalSeconds: number
}
export type Peer = {
  readonly child: ChildProcess
  /** Starts to probe the services in turn, spread over the interval. */
  onProbed(listener: (probed: { slug: string; success: boolean }) => void): void
}

const address = '127.0.0.1:9115'
const startMsMax = 20_000
const msPerSecond = 1_000

export const startPeer = async (
  program: string,
  folder: string,
  { hosts, intervalSeconds }: PeerSettings,
): Promise<Peer> => {
  const file = join(folder, 'blackbox.json')
  // the agent's timeout
  const timeout = `${timeoutsOf(intervalSeconds).withRetry}s`
  const http = { preferred_ip_protocol: 'ip4' }
  // JSON is valid YAML
  await writeFile(file, JSON.stringify({ modules: { http: { prober: 'http', timeout, http } } }))
  const flags = ['--config.file', file, '--web.listen-address', address, '--log.level', 'error']
  const child = spawn(program, flags, { stdio: 'ignore' })
  await untilHealthy(child)
  const probe = async (host: string): Promise<boolean> => {
    const parameters = new URLSearchParams({ target: `http://${host}/`, module: 'http' })
    const response = await fetch(`http://${address}/probe?${parameters}`)
    return (await response.text()).includes('\nprobe_success 1\n')
  }
  return {
    child,
    onProbed: (listener) => {
      const intervalMs = intervalSeconds * msPerSecond
      const all = Object.entries(hosts)
      for (const [index, [slug, host]] of all.entries()) {
        const turn = (): void => {
          probe(host).then(
            (success) => listener({ slug, success }),
            () => undefined,
          )
        }
        const begin = (): void => {
          turn()
          setInterval(turn, intervalMs).unref()
        }
        setTimeout(begin, (index / all.length) * intervalMs).unref()
      }
    },
  }
}

const untilHealthy = async (child: ChildProcess): Promise<void> => {
  const end = performance.now() + startMsMax
  for (;;) {
    const healthy = await fetch(`http://${address}/-/healthy`).catch(() => null)
    if (healthy?.ok === true) return
    if (child.exitCode !== null || performance.now() > end)
      throw new Error('blackbox_exporter does not respond')
    await elapse(50)
  }
}
