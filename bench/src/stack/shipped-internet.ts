// The internet of `shipped-inside.ts`: every name leads to one address, whose servers answer everything with 200.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer as createPlainServer, type RequestListener } from 'node:http'
import { createServer } from 'node:https'
import { createInterface } from 'node:readline'
import { createSecureContext, type SecureContext } from 'node:tls'
import { answering, startDnsServer } from '@probe-mesh/check-types/dns/probe/testing/dns-server'
import { createCertificates } from '@probe-mesh/probe-agent/src/request/testing/certificates'

/** Of no private network, so that no rule for targets refuses it. */
const target = '93.184.215.14'
const nameServer = /^nameserver\s+([\d.]+)/m.exec(readFileSync('/etc/resolv.conf', 'utf8'))?.[1]
if (nameServer === undefined || nameServer.startsWith('127.')) {
  throw new Error('the name server of this machine is not an IPv4 address that another namespace can have')
}
const [caFile = ''] = process.argv.slice(2)
const certificates = createCertificates()
writeFileSync(caFile, certificates.ca)
const ip = (...args: string[]): void => void execFileSync('ip', args, { stdio: 'inherit' })
ip('link', 'set', 'lo', 'up')
for (const address of [target, nameServer]) ip('addr', 'add', `${address}/32`, 'dev', 'lo')

let answered = 0
const answer: RequestListener = (request, response) => {
  answered += 1
  request.resume()
  response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>ok</title>')
}
const contexts = new Map<string, SecureContext>()
const contextOf = (name: string): SecureContext => {
  const known = contexts.get(name) ?? createSecureContext(certificates.leaf(name))
  contexts.set(name, known)
  return known
}
const SNICallback = (name: string, done: (error: Error | null, context: SecureContext) => void): void =>
  done(null, contextOf(name))
createServer({ ...certificates.leaf('none.example'), SNICallback }, answer).listen(443, target)
createPlainServer(answer).listen(80, target)
await startDnsServer(
  (query) => {
    const { name, type } = query.question
    query.send(answering(query, type === 'A' ? [{ type: 'A', name, ttl: 60, data: target }] : []))
  },
  53,
  nameServer,
)

const say = (line: string | number): void => void process.stdout.write(`${line}\n`)
say(process.pid)
for await (const _ of createInterface({ input: process.stdin })) say(answered)
certificates.remove()
process.exit(0)
