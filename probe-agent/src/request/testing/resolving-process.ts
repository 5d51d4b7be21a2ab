// A process that ends by itself after its look-ups, although its resolver stays open. It prints what keeps it alive.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createResolver } from '../resolve.ts'

const server = createSocket('udp4').unref()
server.on('message', (message, from) => {
  if (message.includes('silent')) return
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1])
  const answer = Buffer.concat([message, record])
  answer.writeUInt16BE(0x8180, 2)
  answer.writeUInt16BE(1, 6)
  server.send(answer, from.port, from.address)
})
server.bind(0, '127.0.0.1')
await once(server, 'listening')
const resolver = createResolver(() => ({ servers: [`127.0.0.1:${server.address().port}`] }))
const said: string[] = []
for (const name of ['a.test', 'b.test', 'c.test']) said.push((await resolver.say(name, 'A')).code)
const alive = process.getActiveResourcesInfo().filter((each) => each.startsWith('UDP'))
void resolver.say('silent.test', 'A').then(({ code }) => {
  process.stdout.write(`${said.at(-1)} ${code} ${alive.join()}\n`)
})
