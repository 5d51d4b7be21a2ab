import { createCertificates } from '@probe-mesh/probe-agent/src/request/testing/certificates'
import { startChild } from '../harness/child.ts'
import type { NamesQuestion } from './names-process.ts'

/** Every name below it resolves to the loopback; names below `silent.` get no answer. */
export const zone = 'bench.example.com'

/** A text in the target's page, which every check asserts. */
export const expectedText = 'all is well'

export const page = `<!doctype html><title>Status</title><h1>Status</h1><p>Today ${expectedText}.</p>\n`

/** A path whose response is held for this long. */
export const heldPath = '/held'
export const heldMs = 1_500

/** The target, as every contender needs to know it. */
export type Target = {
  httpPort: number
  httpsPort: number
  /** The authority that signed the certificate of `*.<zone>`. */
  ca: string
  /** The DNS server's port on 127.0.0.1. */
  namesPort: number
}

export type TargetQuestion =
  | { kind: 'start'; key: string; cert: string }
  /** The most responses held at once since the last question. */
  | { kind: 'mostHeld' }

export type Targets = Target & {
  /** The certificate of the https target with its key, as PEM. */
  leaf: { key: string; cert: string }
  mostHeld(): Promise<number>
  close(): Promise<void>
}

/** Starts the http and https target and the DNS server, each a process of its own. */
export const startTargets = async (): Promise<Targets> => {
  const server = startChild(new URL('target-process.ts', import.meta.url))
  const names = startChild(new URL('names-process.ts', import.meta.url))
  const ask = <Answer>(question: TargetQuestion): Promise<Answer> => server.ask<Answer>(question)
  const close = async (): Promise<void> => {
    await Promise.all([server.close(), names.close()])
  }
  const certificates = createCertificates()
  try {
    const leaf = certificates.leaf(`*.${zone}`, null, `DNS:*.${zone},IP:127.0.0.1`)
    const ports = await ask<{ httpPort: number; httpsPort: number }>({ kind: 'start', ...leaf })
    const anywhere: NamesQuestion = { address: '127.0.0.1', port: 0 }
    const namesPort = await names.ask<number>(anywhere)
    const mostHeld = (): Promise<number> => ask<number>({ kind: 'mostHeld' })
    return { ...ports, ca: certificates.ca, leaf, namesPort, mostHeld, close }
  } catch (error) {
    await close()
    throw error
  } finally {
    certificates.remove()
  }
}
