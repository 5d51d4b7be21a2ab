import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startChild } from '../harness/child.ts'
import type { NamesQuestion } from './names-process.ts'
import { zone } from './targets.ts'

/** Names for a program that can only use the system's resolver. */
export type SystemNames = {
  nameOf(n: number): string
  /** Wraps a command, so that its system resolver is the bench's. */
  within(command: readonly string[]): string[]
  close(): Promise<void>
}

/** A loopback address that nothing else uses. resolv.conf allows port 53 only. */
const server: NamesQuestion = { address: '127.0.77.53', port: 53 }

/**
 * Starts a DNS server for programs in a mount namespace with its own resolv.conf, which needs root.
 * @returns null where that is not possible, which is logged
 */
export const startSystemNames = async (
  folder: string,
  log: (line: string) => void,
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
    log(`no blackbox_exporter by name to compare with: ${why}`)
    return null
  }
  return { nameOf: (n) => `b${n}.${zone}`, within, close: () => child.close() }
}
