import { codeOf } from '@probe-mesh/runtime/errors'
import { X509Certificate } from 'node:crypto'
import net from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import tls, { type SecureContext, type PeerCertificate, type TLSSocket } from 'node:tls'
import { isPinned } from '@probe-mesh/contracts/target/pin'
import { chainEnd } from './chain-end.ts'
import {
  chainIncomplete,
  connectionClosed,
  failureOf,
  issuerExpired,
  unsafeTarget,
  type Phase,
} from './failure.ts'
import type { Failure } from './outcome.ts'
import { watchPeerCertificate } from './peer-certificate.ts'
import { pinFailure } from './pins.ts'
import { roundMs } from './round.ts'
import type { Stop } from './stop.ts'

/** A fresh connection, ready for one request. */
export type Connection = {
  socket: net.Socket
  connectMs: number
  tlsMs: number | null
  certificateExpiresAt: number | null
  /** Not parsed, since parsing is expensive. */
  certificate: X509Certificate | null
}

/** TLS settings: `servername` is empty for an IP literal, which has no SNI. */
export type Secure = {
  servername: string
  trust: SecureContext
  /** The protocol over TLS; HTTP/1.1 when absent. */
  protocol?: 'h2'
  /** The name or address that the certificate must have; absent: `servername`, or the connected address. */
  verified?: string
  /** Pins, of which one must match the certificate; absent: none needed. */
  pins?: readonly string[]
}

/** A failed connection, with its completed phases. */
export type ConnectFailure = {
  failure: Failure
  connectMs: number | null
  certificateExpiresAt: number | null
  /** Not parsed, since parsing is expensive. */
  certificate: X509Certificate | null
}

/**
 * Key exchanges offered, and (as OpenSSL reads it) curves of certificates accepted: P-256 and P-384
 * must stay. Without the default's ML-KEM key generation a handshake costs a tenth less.
 */
const ecdhCurve = 'X25519:P-256:P-384'

/** One trust setting for all connections; `ca` replaces the built-in roots. */
export const createTrust = (
  ca?: string[],
  more: Pick<tls.SecureContextOptions, 'allowPartialTrustChain'> = {},
): SecureContext => {
  const trust = tls.createSecureContext({ ecdhCurve, ...more, ...(ca === undefined ? {} : { ca }) })
  if (more.allowPartialTrustChain === true) partial.add(trust)
  if (ca !== undefined) authorities.set(trust, ca)
  // before the first measurement, which they would delay
  else void parsedAuthorities(trust)
  return trust
}

/** The longest chain that is followed from a certificate to an authority. */
const chainMax = 8

/**
 * Whether a certificate leads to an authority of a trust setting, whatever its dates and names. Node reports the
 * dates of a certificate even if its issuer is unknown, as a proxy on the way may forge it.
 */
export const isFromAuthority = async (
  certificate: X509Certificate,
  trust: SecureContext,
): Promise<boolean> => {
  const known = await parsedAuthorities(trust)
  let at: X509Certificate | undefined = certificate
  for (let length = 0; at !== undefined && length < chainMax; length++) {
    const of: X509Certificate = at
    const isIssued = (by: X509Certificate): boolean => of.checkIssued(by) && of.verify(by.publicKey)
    if (known.some(isIssued)) return true
    at = of.issuerCertificate
    if (at !== undefined && (!at.ca || !isIssued(at))) return false
  }
  return false
}

/** Parsed once, a few at a time: 150 take 70 ms, in which nothing could be measured. */
const parsedAuthorities = async (trust: SecureContext): Promise<readonly X509Certificate[]> => {
  const known = parsed.get(trust)
  if (known !== undefined) return known
  const all: X509Certificate[] = []
  for (const pem of authoritiesOf(trust)) {
    if (all.length % 4 === 0) await nextTurn()
    all.push(...parsedOf(pem))
  }
  parsed.set(trust, all)
  return all
}

const parsed = new WeakMap<SecureContext, readonly X509Certificate[]>()
const authoritiesOf = (trust: SecureContext): string[] =>
  authorities.get(trust) ?? tls.getCACertificates('default')

/** The store of a system may have one that OpenSSL does not read. */
const parsedOf = (pem: string): X509Certificate[] => {
  try {
    return [new X509Certificate(pem)]
  } catch {
    return []
  }
}

/** When a client with this trust stops to accept a received certificate (S-380), Unix ms; null without one. */
export const expiryOf = (certificate: X509Certificate | null, trust: SecureContext): number | null => {
  if (certificate === null) return null
  return chainEnd(certificate, knownOf(trust), Date.now()).expiresAt
}

const knownOf = (trust: SecureContext): readonly X509Certificate[] => {
  const known = parsed.get(trust)
  if (known !== undefined) return known
  const read = authoritiesOf(trust).flatMap(parsedOf)
  parsed.set(trust, read)
  return read
}

/** The authorities of a trust setting, which it does not reveal. */
const authorities = new WeakMap<SecureContext, string[]>()
/** Those that end a chain at any of their certificates, also at one that is no root. */
const partial = new WeakSet<SecureContext>()

/**
 * The same trust with a client certificate, for one request.
 * @returns null when the certificate and its key are not readable, or not of each other
 */
export const withClientCertificate = (
  trust: SecureContext,
  { certificate, key }: { certificate: string; key: string },
): SecureContext | null => {
  const ca = authorities.get(trust)
  const allowPartialTrustChain = partial.has(trust)
  try {
    const own = tls.createSecureContext({
      ecdhCurve,
      cert: certificate,
      key,
      allowPartialTrustChain,
      ...(ca !== undefined && { ca }),
    })
    if (ca !== undefined) authorities.set(own, ca)
    const known = parsed.get(trust)
    if (known !== undefined) parsed.set(own, known)
    return own
  } catch {
    // the error may quote the key
    return null
  }
}

/**
 * Connects to a pinned address: one address, no second family, no session resumption (a resumed
 * session verifies nothing and shows no certificate).
 * @param secure null for plain TCP
 */
export const connect = (
  { address, port }: { address: string; port: number },
  secure: Secure | null,
  {
    local,
    stop,
    onTcp = ignore,
  }: {
    local: boolean
    stop: Pick<Stop, 'during' | 'failure'>
    /** Called after the TCP handshake, before TLS. */
    onTcp?: () => void
  },
): Promise<Connection | ConnectFailure> =>
  new Promise((resolve) => {
    const startedAt = performance.now()
    let phase: Phase = 'connect'
    let connectMs: number | null = null
    // TLS writes twice in a row; plain TCP writes once, without delay.
    const endpoint = { host: address, port, autoSelectFamily: false, noDelay: secure !== null }
    const secureSocket =
      secure === null
        ? null
        : tls.connect({
            ...endpoint,
            servername: secure.servername,
            secureContext: secure.trust,
            ALPNProtocols: [secure.protocol ?? 'http/1.1'],
            ...verificationOf(secure),
          })
    const certificate = secureSocket === null ? null : watchPeerCertificate(secureSocket)
    const shown = (): Pick<Connection, 'certificateExpiresAt' | 'certificate'> => {
      const seen = certificate?.() ?? null
      return { certificateExpiresAt: secure && expiryOf(seen, secure.trust), certificate: seen }
    }
    const socket = secureSocket ?? net.connect(endpoint)

    let done = false
    const fail = (failure: Failure): void => {
      if (done) return
      done = true
      stop.during(null)
      const seen = shown()
      socket.destroy()
      resolve({ failure, connectMs, ...seen })
    }
    socket.on('error', (error) => fail(failureOf(phase, codeOf(error), { local })))
    // `once` costs more, and these come once
    socket.on('close', () => fail(connectionClosed))
    stop.during(() => fail(stop.failure(phase)))

    const ready = (tlsMs: number | null): void => {
      done = true
      stop.during(null)
      resolve({ socket, connectMs: connectMs ?? 0, tlsMs, ...shown() })
    }
    socket.on('connect', () => {
      connectMs = roundMs(performance.now() - startedAt)
      if (socket.remoteAddress !== undefined && !isPinned(socket.remoteAddress, address)) {
        fail(unsafeTarget)
        return
      }
      onTcp()
      if (secureSocket === null) ready(null)
      else phase = 'tls'
    })
    // once: a server may ask for another handshake
    secureSocket?.once('secureConnect', () => {
      const failure = verify(secureSocket, certificate?.(), secure?.pins, local)
      if (failure === null) ready(roundMs(performance.now() - startedAt - (connectMs ?? 0)))
      else fail(failure)
    })
  })

/** Options of a handshake that `verify` judges afterwards. */
export const verificationOf = ({ verified }: Pick<Secure, 'verified'>): tls.ConnectionOptions => ({
  // Node's own rejection would lose the certificate's dates.
  rejectUnauthorized: false,
  ...(verified !== undefined && {
    checkServerIdentity: (_: string, certificate: PeerCertificate) =>
      tls.checkServerIdentity(verified, certificate),
  }),
})

/** Why a server is not the expected one, by its chain and name, then by its pins; null: it is. */
export const verify = (
  { authorized, authorizationError }: TLSSocket,
  certificate: X509Certificate | undefined,
  pins: readonly string[] | undefined,
  local: boolean,
): Failure | null =>
  authorized
    ? pinFailure(certificate, pins)
    : certificateFailure(String(authorizationError), certificate, local)

/**
 * A single certificate that links to its issuer's: browsers download that one, other clients do
 * not, so it works for some only.
 */
const certificateFailure = (
  code: string,
  certificate: X509Certificate | undefined,
  local: boolean,
): Failure => {
  if (code === 'CERT_HAS_EXPIRED' && certificate && certificate.validToDate.getTime() > Date.now()) {
    return issuerExpired
  }
  return code === 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' && certificate?.infoAccess?.includes('CA Issuers - URI')
    ? chainIncomplete
    : failureOf('tls', code, { local })
}

const ignore = (): void => undefined
