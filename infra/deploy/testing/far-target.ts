import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { promisify } from 'node:util'
import { findDebianProgram } from '../../testing/debian-program.ts'
import { listenInside } from './listen-inside.ts'

const run = promisify(execFile)
/** Public addresses, because agents probe no others. They exist only in the two namespaces. */
const [near, far] = ['11.22.33.1', '11.22.33.44']
const port = 80

/** A website in its own network namespace, linked to that of a machine. */
export type FarTarget = {
  readonly url: string
  requests(): number
  /** Connects it again to a restarted machine, which has a new network. */
  connect(pid: number): Promise<void>
  close(): Promise<void>
}

export const startFarTarget = async (): Promise<FarTarget> => {
  const ip = await findDebianProgram('iproute2', { program: 'ip', mayFetch: true })
  const holder = spawn('unshare', ['--net', 'sh', '-c', 'echo there; exec cat'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await once(holder.stdout, 'data')
  const own = holder.pid ?? 0
  const within = (pid: number, ...args: string[]) =>
    run('nsenter', ['--target', String(pid), '--net', ip, ...args])
  let requests = 0
  const http = createServer((_, answer) => {
    requests += 1
    answer.end('it works\n')
  })
  let listener: Awaited<ReturnType<typeof listenInside>> | null = null
  return {
    url: `http://${far}/`,
    requests: () => requests,
    connect: async (pid) => {
      // the network of an ended machine disappears a moment later
      await within(own, 'link', 'del', 'far').catch(() => {})
      await within(own, 'link', 'add', 'far', 'type', 'veth', 'peer', 'name', 'near', 'netns', String(pid))
      await within(own, 'addr', 'add', `${far}/24`, 'dev', 'far')
      await within(own, 'link', 'set', 'far', 'up')
      await within(pid, 'addr', 'add', `${near}/24`, 'dev', 'near')
      await within(pid, 'link', 'set', 'near', 'up')
      if (listener !== null) return
      listener = await listenInside(own, far, port)
      listener.on('connection', (socket) => http.emit('connection', socket))
    },
    close: async () => {
      listener?.close()
      http.closeAllConnections()
      const exited = once(holder, 'exit')
      holder.stdin.end()
      await exited
    },
  }
}
