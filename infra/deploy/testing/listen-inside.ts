import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Server } from 'node:net'

const script = `
const server = require('node:net').createServer()
server.listen(Number(process.argv[2]), process.argv[1], () =>
  process.send('listening', server, () => process.exit()))`

/**
 * Listens on a port of another network namespace. This process answers there, with its own network for
 * outgoing connections.
 */
export const listenInside = async (pid: number, host: string, port: number): Promise<Server> => {
  const inside = ['--target', String(pid), '--net', process.execPath, '-e', script, host, String(port)]
  const child = spawn('nsenter', inside, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const handed = new Promise<Server>((resolve, reject) => {
    child.once('message', (_, server) => {
      if (server instanceof Server) resolve(server)
    })
    child.once('exit', (code) => code !== 0 && reject(new Error(`${host}:${port}: ended with ${code}`)))
  })
  const server = await handed
  if (child.exitCode === null) await once(child, 'exit')
  return server
}
