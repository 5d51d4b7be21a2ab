import { z } from 'zod'
import type { FieldProblem } from '@probe-mesh/contracts/schema/refusal'
import { limits } from '@probe-mesh/contracts/schema/limits'
import type { AllowList } from '@probe-mesh/contracts/target/address'
import { parseHost, type TargetProblem } from '@probe-mesh/contracts/target/target'

/** Why a target may not be probed, and the field that names it. The message repeats no address. */
export type UnsafeField = { path: string; rule: string; message: string }

/** A host that a check requests, by the field that names it. */
export type NamedHost = { path: string; host: string }

/**
 * What every program knows of a type whose settings are one object. Fields are named by their path in the settings.
 * Everything in it is pure.
 */
export type CheckTypeSettings<Name extends string, Settings extends z.ZodObject> = {
  type: Name
  /** Unset fields are null. */
  Settings: Settings
  /** Whether its attempt is one request, which may have its own timeout. */
  hasTimeout: boolean
  /** Whether private agents run it (S-2902). */
  mayRunPrivately: boolean
  /** Whether its first phase is the look-up of the target's name. */
  looksUpName: boolean
  /** Whether an attempt begins TLS, which costs the processor most. */
  startsTls(settings: z.output<Settings>): boolean
  /** The largest size of a reading in a message. */
  readingBytesMax: number
  /** The shortest interval, seconds; absent: 1. */
  intervalSecondsMin?: number
  /** The target on one line, for lists. */
  targetOf(settings: z.output<Settings>): string
  /** The host name or address whose name a run resolves first. */
  hostOf(settings: z.output<Settings>): string | null
  /** The host that a run requests, as often as it does; none: only own resolvers, or a private one that is not allowed. */
  requestsOf(settings: z.output<Settings>, options: { allow: AllowList }): NamedHost[]
  /** The rule for its target, at save; agents repeat it on every run (S-209). */
  unsafeField(settings: z.output<Settings>, options: { allow: AllowList }): UnsafeField | null
  /** Problems that the schema cannot find. */
  problemsOf?(settings: z.output<Settings>): FieldProblem[]
  /** The settings for a key that may only read; absent: all of them. */
  hide?(settings: z.output<Settings>, hidden: (text: string | null) => string | null): z.output<Settings>
}

export const kilobyte = 1024
export const host = z.string().min(1).max(253)
export const port = z.int().min(1).max(65_535)
export const text = z.string().min(1).max(limits.probeTextCharactersMax)

/** `host:port`, with an IPv6 address in brackets. */
const hostAndPort = (settings: { host: string; port: number }): string => {
  const { host: name, port: number } = settings
  const bracketed = name.includes(':') && !name.startsWith('[') ? `[${name}]` : name
  return `${bracketed}:${number}`
}

/** What types share whose target is a host and a port. */
export const atHostAndPort = {
  looksUpName: true,
  targetOf: hostAndPort,
  hostOf: (settings: { host: string }): string => settings.host,
  requestsOf: (settings: { host: string }, options: { allow: AllowList }): NamedHost[] => {
    const parsed = parseHost(settings.host, options)
    return parsed.ok ? [{ path: 'host', host: parsed.host }] : []
  },
} as const

/**
 * The rule for a host and a port, at save and on every run.
 * @param wrongPort why the port may not be probed, unless the operator allowed the address; null: it may
 * @returns null when the check may run; the addresses of a name are checked on connect
 */
export const hostAndPortProblem = (
  settings: { host: string },
  { allow }: { allow: AllowList },
  wrongPort: string | null,
): TargetProblem | null => {
  const parsed = parseHost(settings.host, { allow })
  if (!parsed.ok) return parsed.problem
  return wrongPort === null || parsed.opened ? null : { rule: 'url_port', message: wrongPort }
}

/** A problem of a host and port, at the field that has it. */
export const atPortOrHost = (problem: { rule: string; message: string } | null): UnsafeField | null =>
  problem === null ? null : { path: problem.rule.endsWith('port') ? 'port' : 'host', ...problem }
