import { mkdtempSync, rmSync } from 'node:fs'
import type { Http2Session, Http2Server } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog, lowestLevel, type Log } from '../log.ts'
import type { ProviderHandlers } from '../wire/messages.ts'
import { createGrpcServer } from '../wire/server.ts'
import { createMethods } from '../wire/services.ts'
import { createCertificate } from './certificate.ts'
import { handshakeLine, readInvitation, type Address } from './invitation.ts'

/** How often the process checks that its parent still runs. */
const parentEveryMs = 1000
/** How long it waits for a first connection: its parent may have ended before the first check. */
const callerWithinMs = 60_000
/** How long the last response may take to be sent. */
const farewellMs = 200

/**
 * The provider's process: the handshake, then calls until Terraform shuts it down, SIGTERM arrives or its
 * parent ends. It ignores SIGINT: a Ctrl-C reaches both, and Terraform ends its providers when it has
 * finished.
 *
 * @param options.name of the executable, for messages and the log
 * @param options.createHandlers receives the log, the only output that is allowed
 */
export const serve = async (options: {
  name: string
  createHandlers: (log: Log) => ProviderHandlers
}): Promise<void> => {
  const parent = process.ppid
  const invitation = readInvitation(process.env, options.name)
  if (!invitation.invited) {
    // Terraform shows unreadable lines of stdout, and nothing of stderr
    const stream = invitation.by === 'a person' ? process.stderr : process.stdout
    stream.write(invitation.message)
    process.exitCode = 1
    return
  }
  process.on('SIGINT', () => {})
  process.once('SIGTERM', () => process.exit())
  const log = createLog({
    lowest: lowestLevel(process.env),
    module: options.name,
    now: () => new Date(),
    write: (line) => process.stderr.write(line),
  })
  const certificate = invitation.client === null ? null : createCertificate(new Date())
  const server = createGrpcServer({
    methods: createMethods(options.createHandlers(log), leave),
    tls:
      certificate === null || invitation.client === null
        ? null
        : {
            certificate: certificate.pem,
            privateKey: certificate.privateKey,
            clientAuthority: invitation.client,
          },
    log,
  })
  const { at, remove } = await listen(server, process.platform)
  process.once('exit', remove)
  watchParent(parent)
  const alone = setTimeout(() => process.exit(), callerWithinMs)
  server.once('session', () => clearTimeout(alone))
  process.stdout.write(handshakeLine(at, certificate?.der ?? null))
}

/** Ends at once: Terraform waits up to two seconds for a process that it shuts down. */
const leave = (session: Http2Session | undefined): void => {
  setTimeout(() => process.exit(), farewellMs)
  if (session === undefined || session.destroyed) process.exit()
  session.close(() => process.exit())
}

const watchParent = (parent: number): void => {
  setInterval(() => {
    if (process.ppid !== parent) process.exit()
  }, parentEveryMs).unref()
}

/**
 * Listens where no other user can connect: on a socket in a private folder, or on Windows on a port of the
 * loopback.
 *
 * @returns the address, and how to remove the folder
 */
export const listen = async (
  server: Http2Server,
  platform: NodeJS.Platform,
): Promise<{ at: Address; remove(): void }> => {
  // mkdtemp creates it with mode 0700
  const folder = platform === 'win32' ? null : mkdtempSync(join(tmpdir(), 'plugin-'))
  const remove = (): void => {
    if (folder !== null) rmSync(folder, { recursive: true, force: true })
  }
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      if (folder === null) server.listen({ host: '127.0.0.1', port: 0 }, resolve)
      else server.listen(join(folder, 'socket'), resolve)
    })
  } catch (error) {
    remove()
    throw error
  }
  const address = server.address()
  if (address === null) throw new Error('a server that listens has no address')
  const at: Address =
    typeof address === 'string'
      ? { network: 'unix', address }
      : { network: 'tcp', address: `${address.address}:${address.port}` }
  return { at, remove }
}
