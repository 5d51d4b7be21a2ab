// The targets of a small internet, in their own network namespace. All requests come from outside.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { targetPort } from './names.ts'

const server = createServer((request, response) => {
  const to = /^\/to\?(.+)$/.exec(request.url ?? '')?.[1]
  if (to !== undefined) response.writeHead(302, { location: to })
  response.end('here')
})
server.listen(targetPort, '::')
await once(server, 'listening')
process.stdout.write('listening\n')
// Ends with its parent process.
process.stdin.resume().on('end', () => process.exit(0))
