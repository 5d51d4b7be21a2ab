import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closeAll } from '@probe-mesh/infra/start/processes/close-all'

/** Passes a temporary folder to `act` and deletes it afterwards. */
export const withFolder = async <Result>(act: (folder: string) => Promise<Result>): Promise<Result> => {
  const folder = await mkdtemp(join(tmpdir(), 'probe-mesh-bench-'))
  try {
    return await act(folder)
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Registers something to close when the scope ends, and returns it. */
export type Keep = <C extends { close(): Promise<void> }>(one: C) => C

/** Closes everything that `act` kept, the newest first, even if `act` fails. */
export const withClosers = async <Result>(act: (keep: Keep) => Promise<Result>): Promise<Result> => {
  const closers: (() => Promise<void>)[] = []
  try {
    return await act((one) => {
      closers.push(() => one.close())
      return one
    })
  } finally {
    await closeAll(closers)
  }
}
