import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Order, Receiving, Reply } from './orders.ts'

const program = fileURLToPath(new URL('world.ts', import.meta.url))

/** The target and the receiver of webhooks, in their own process. */
export type World = {
  targetUrl: string
  hooksUrl: string
  play(order: Extract<Order, { beginsAt: number }>): Promise<void>
  receive(receiving: Receiving): Promise<void>
  close(): Promise<void>
}

/** @param folder for its journals, `requests` and `posts` */
export const startWorld = async (folder: string): Promise<World> => {
  const child = fork(program, [folder], { execArgv: [] })
  const answered = async (): Promise<Reply> => {
    const ended = new AbortController()
    const [word] = (await Promise.race([
      once(child, 'message', ended),
      once(child, 'exit', ended).then(([code]) => {
        throw new Error(`the outside world exited with ${code}`)
      }),
    ]).finally(() => ended.abort())) as [Reply]
    return word
  }
  const send = async (order: Order): Promise<void> => {
    const done = answered()
    child.send(order)
    await done
  }
  const place = await answered()
  if (place === 'done') throw new Error('the outside world did not report its address')
  return {
    targetUrl: `http://127.0.0.1:${place.targetPort}`,
    hooksUrl: `http://127.0.0.1:${place.hooksPort}`,
    play: send,
    receive: (receiving) => send({ receiving }),
    close: async () => {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}
