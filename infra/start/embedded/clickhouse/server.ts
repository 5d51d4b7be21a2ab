// The child process that runs chDB, started by `start.ts`. A crash of the engine ends only this process.
import { loopbackHost } from '@probe-mesh/runtime/loopback'
import { once } from 'node:events'
import { settlesWithin } from '../bounded.ts'
import { openEngine } from './engine.ts'
import { createFacade } from './facade.ts'
import { isStartMessage, type ServerMessage, type StartMessage } from './messages.ts'

/** How long running statements may take to finish at a shutdown. */
const drainMs = 10_000

/** Resolves when the message is sent, or at once if the parent has disconnected. */
const say = async (message: ServerMessage): Promise<void> => {
  if (!process.connected) return
  await new Promise<void>((resolve) => process.send?.(message, () => resolve()))
}

const serve = async (start: StartMessage): Promise<void> => {
  const engine = await openEngine(start.dataDir)
  await engine.run({
    database: 'default',
    settings: new Map([['implicit_select', '0']]),
    parameters: new Map(),
    format: 'Null',
    // The engine of a server's databases. chDB's `default` has another one, without refreshable views.
    text: Buffer.from(`create database if not exists ${start.database} engine = Atomic`),
    data: new Uint8Array(),
    kind: 'other',
  })
  const { server, drain } = createFacade({ ...start, engine })
  const end = async (): Promise<void> => {
    if (await settlesWithin(drainMs, drain())) {
      engine.close()
      process.exit(0)
    }
    // An orderly exit would wait for the running statement; stored data is safe.
    process.kill(process.pid, 'SIGKILL')
  }
  process.off('disconnect', exitAtOnce).off('SIGTERM', exitAtOnce)
  process.once('disconnect', end).once('SIGTERM', end)
  if (!process.connected) return end()
  server.listen({ host: loopbackHost(), port: start.port })
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port on loopback')
  await say({ kind: 'ready', port: address.port, version: engine.version })
}

const exitAtOnce = (): void => process.exit(0)
process.on('disconnect', exitAtOnce).on('SIGTERM', exitAtOnce)
process.once('message', (message) => {
  if (!isStartMessage(message)) throw new Error('started without a start message')
  serve(message).catch(async (error: unknown) => {
    await say({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
    process.exit(1)
  })
})
