import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { becomesTrue } from '../bounded.ts'
import { commandLine } from '../command-line.ts'
import type { Log } from '../log.ts'

/** How long a server that lost its owner may take to shut down by itself, then when told to quit. */
const shutdownWaitMs = 20_000
const quitWaitMs = 10_000
const pollMs = 50

/** What `postmaster.pid` says: whose it is, and `ready` once connections are taken. */
export type Postmaster = { readonly pid: number; readonly status: string }

/** Null while there is no such file, or it is not written to its end yet. */
export const readPostmaster = async (cluster: string): Promise<Postmaster | null> => {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')
  return parsePostmaster(text)
}

export const parsePostmaster = (text: string): Postmaster | null => {
  const lines = text.split('\n')
  const pid = Number(lines[0])
  // A standalone backend writes its pid negated.
  return Number.isInteger(pid) && pid !== 0 ? { pid: Math.abs(pid), status: lines[7]?.trim() ?? '' } : null
}

/**
 * Makes way for a new server after the owner of the last one was killed. A server that still
 * runs is given time to finish its shutdown, then made to quit; a file that names a process which
 * is no server of this cluster (gone, or its number taken by another) is removed.
 * The caller is the data directory's only owner: a server found here has lost its own.
 */
export const endFormerServer = async (cluster: string, log: Log): Promise<void> => {
  const former = await readPostmaster(cluster)
  if (former === null) return
  const { pid } = former
  const isGone = async () => !(await servesCluster(pid, cluster))
  if (!(await isGone())) {
    log.info({ pid }, 'waiting for the former Postgres to shut down')
    for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
      send(pid, signal)
      const waitMs = signal === 'SIGINT' ? shutdownWaitMs : quitWaitMs
      if (await becomesTrue(isGone, { waitMs, everyMs: pollMs })) break
      log.warn({ pid, signal }, 'the former Postgres still runs')
    }
    if (!(await isGone())) throw new Error(`Postgres ${pid} holds ${cluster} and does not end`)
  }
  // After an orderly shutdown the file is gone; a left one would be refused if its number is in use.
  const left = await readPostmaster(cluster)
  if (left?.pid === pid) await rm(join(cluster, 'postmaster.pid'), { force: true })
}

const servesCluster = async (pid: number, cluster: string): Promise<boolean> => {
  const line = await commandLine(pid)
  return line !== null && `${line} `.includes(` -D ${cluster} `)
}

const send = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch {
    // Gone in this moment, which is what we want, or not ours, which the wait will show.
  }
}
