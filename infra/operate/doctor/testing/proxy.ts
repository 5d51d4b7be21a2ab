import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findDebianProgram } from '../../../testing/debian-program.ts'
import { createCommandPart } from '../../../testing/processes/command-part.ts'
import type { Part } from '../../../testing/processes/part.ts'

export type Proxy = Part & {
  /** Restarts it with this health check of control planes. */
  askHealthBy(line: string): Promise<void>
}

export const healthCheck = 'option httpchk GET /readyz'

/** Debian's haproxy in front of both control planes. */
export const createProxy = async (how: {
  folder: string
  outside: number
  controlPorts: readonly number[]
  /** How often, and how long, it asks each for its health. */
  checkMs?: number
}): Promise<Proxy> => {
  const configFile = join(how.folder, 'haproxy.cfg')
  const servers = how.controlPorts.map(
    (port, at) =>
      `  server control-plane-${at + 1} 127.0.0.1:${port} check inter ${how.checkMs ?? 500}ms fall 2 rise 1`,
  )
  const config = `defaults
  mode http
  timeout connect 2s
  timeout client 30s
  timeout server 30s
frontend outside
  bind 127.0.0.1:${how.outside}
  option forwardfor
  default_backend control-planes
backend control-planes
  ${healthCheck}
${servers.join('\n')}
`
  await writeFile(configFile, config)
  const part = createCommandPart({
    name: 'haproxy',
    command: [await findDebianProgram('haproxy'), '-W', '-db', '-f', configFile],
    environment: {},
    logFile: join(how.folder, 'logs', 'haproxy'),
    isReady: async () => (await fetch(`http://127.0.0.1:${how.outside}/healthz`)).status > 0,
  })
  return Object.assign(part, {
    askHealthBy: async (line: string) => {
      // open connections would delay an orderly stop
      await part.kill()
      const text = await readFile(configFile, 'utf8')
      await writeFile(configFile, text.replace(/option httpchk .*/, line))
      await part.start()
    },
  })
}
