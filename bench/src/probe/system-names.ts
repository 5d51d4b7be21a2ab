import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startChild } from '../harness/child.ts'
import type { NamesQuestion } from './names-process.ts'
import { zone } from './targets.ts'

/** Names that a program finds by its system's resolver, as one does that can be told of no other. */
export type SystemNames = {
  nameOf(n: number): string
  /** The command that runs one where that resolver is ours. */
  within(command: readonly string[]): string[]
  close(): Promise<void>
}

/** Of the loopback, which nothing else listens on. Port 53 is the only one that resolv.conf knows. */
const server: NamesQuestion = { address: '127.0.77.53', port: 53 }

/**
 * Starts a DNS server there, for whoever has a resolv.conf of its own: a mount namespace, which takes root.
 * @returns null where it cannot be had; `say` is told why
 */
export const startSystemNames = async (
  folder: string,
  say: (line: string) => void,
): Promise<SystemNames | null> => {
  const configuration = join(folder, 'resolv.conf')
  const bound = 'mount --bind "$0" /etc/resolv.conf && exec "$@"'
  const within = (command: readonly string[]): string[] => [
    'unshare',
    '--mount',
    'sh',
    '-c',
    bound,
    configuration,
    ...command,
  ]
  const child = startChild(new URL('names-process.ts', import.meta.url))
  try {
    await writeFile(configuration, `nameserver ${server.address}\n`)
    const [program = '', ...args] = within(['true'])
    await promisify(execFile)(program, args)
    await child.ask<number>(server)
  } catch (error) {
    await child.close()
    const why = error instanceof Error ? error.message : error
    say(`no blackbox_exporter by name to compare with: ${why}`)
    return null
  }
  return { nameOf: (n) => `b${n}.${zone}`, within, close: () => child.close() }
}
