import { z } from 'zod'
import { Assertions } from '../check/assertions.ts'
import {
  leavesRoomForRetry,
  RefusedAs,
  timeoutsOf,
  TimeoutSeconds,
} from '../check/check-timeout.ts'
import { Uuid } from '../schema/ids.ts'
import { limits } from '../schema/limits.ts'
import { BrowserSettings, DnsSettings, SmtpSettings, TcpSettings } from '../check/probe-settings.ts'
import { ReadingKind } from '../reading/reading.ts'
import { AnyRegion } from '../reading/regions.ts'
import { isRepeatable, Step } from '../check/step.ts'

const base = {
  checkId: Uuid,
  accountId: z.string(),
  region: AnyRegion,
  revision: z.int().min(1),
  /** Since when this revision's slots are due, Unix ms. */
  validFrom: z.int(),
  intervalSeconds: z.int().min(1),
  /** Where in the interval its slots are, ms. Absent: where a hash of check and region puts them. */
  phaseMs: z.int().min(0).optional(),
  /** Whose target it is decides what is `blocked` (S-803, S-804). */
  owner: z.enum(['account', 'catalog']),
}

/** Whether the target is told the region, by a header. Absent is no, as for an agent older than this field. */
const sendRegion = z.boolean().optional()
/** The longest attempt where the owner says it; absent is the default, as for an agent older than this field. */
const timeoutSeconds = TimeoutSeconds.optional()

export const HttpAssignment = z.object({
  ...base,
  type: z.literal('http'),
  url: z.string().max(limits.urlCharactersMax),
  assertions: Assertions,
  sendRegion,
  timeoutSeconds,
  /** What a bare 403 or 429 means; absent is `down`. */
  refusedAs: RefusedAs.optional(),
})
export const MultistepAssignment = z.object({
  ...base,
  type: z.literal('multistep'),
  steps: z.array(Step).min(1).max(limits.stepsMax),
  sendRegion,
})
export const TcpAssignment = z.object({
  ...base,
  type: z.literal('tcp'),
  settings: TcpSettings,
  timeoutSeconds,
})
export const DnsAssignment = z.object({
  ...base,
  type: z.literal('dns'),
  settings: DnsSettings,
  timeoutSeconds,
})
export const SmtpAssignment = z.object({
  ...base,
  type: z.literal('smtp'),
  settings: SmtpSettings,
  timeoutSeconds,
})
export const BrowserAssignment = z.object({
  ...base,
  type: z.literal('browser'),
  settings: BrowserSettings,
})

/** A check as one region's agents receive it: self-contained, with a revision. */
export const Assignment = z.discriminatedUnion('type', [
  HttpAssignment,
  MultistepAssignment,
  TcpAssignment,
  DnsAssignment,
  SmtpAssignment,
  BrowserAssignment,
])
export type Assignment = z.infer<typeof Assignment>
export type HttpAssignment = z.infer<typeof HttpAssignment>
export type MultistepAssignment = z.infer<typeof MultistepAssignment>
export type TcpAssignment = z.infer<typeof TcpAssignment>
export type DnsAssignment = z.infer<typeof DnsAssignment>
export type SmtpAssignment = z.infer<typeof SmtpAssignment>
export type BrowserAssignment = z.infer<typeof BrowserAssignment>

/** What its slots follow from, which holds for every version and type. */
const slotted = z.object(base).omit({ accountId: true, owner: true })

/** The name of a type, of this version or another: it stands in reasons. */
const typeName = z.string().regex(/^[a-z0-9_-]{1,40}$/)

/**
 * What an agent keeps of an assignment that it does not understand: enough for its slots to be due
 * and each reported as not measured. Never sent: an agent makes it of what came.
 */
export const UnknownAssignment = slotted.extend({
  type: z.literal('unknown'),
  /** The type as it was sent, whether or not this version knows it. */
  sentType: typeName,
})
export type UnknownAssignment = z.infer<typeof UnknownAssignment>

const HeldAssignment = z.discriminatedUnion('type', [Assignment, UnknownAssignment])
/** An assignment as an agent holds it. */
export type HeldAssignment = z.infer<typeof HeldAssignment>

const Sent = slotted.extend({ type: typeName })

/**
 * What an agent makes of an assignment that came or that it kept: one of a newer version is held
 * as unknown. @returns null where not even its slots are told
 */
export const toHeldAssignment = (came: unknown): HeldAssignment | null => {
  const held = HeldAssignment.safeParse(came)
  if (held.success) return held.data
  const sent = Sent.safeParse(came)
  if (!sent.success) return null
  return { ...sent.data, type: 'unknown', sentType: sent.data.type }
}

/** Whether an agent of this version knows the type, by its name. */
export const isKnownType = (type: string): boolean =>
  Assignment.options.some((option) => option.shape.type.value === type)

/** Milliseconds one attempt may take: a slot has two attempts and must end before the next slot. */
export const attemptDeadlineMs = (intervalSeconds: number): number =>
  Math.min(limits.attemptMsMax, limits.attemptShareOfInterval * intervalSeconds * 1000)

type Timed = Pick<Assignment, 'type' | 'intervalSeconds'> & {
  timeoutSeconds?: number | undefined
}

/**
 * The same by type: a journey has its 45 s and a browser 20 s, both at least 60 s apart; the others what their
 * owner says, as far as the interval has room for it.
 */
export const attemptMsMaxOf = ({ type, intervalSeconds, timeoutSeconds }: Timed): number => {
  if (type === 'multistep') return limits.journeyMsMax
  if (type !== 'browser') {
    return timeoutSeconds === undefined
      ? attemptDeadlineMs(intervalSeconds)
      : 1_000 * Math.max(1, Math.min(timeoutSeconds, timeoutsOf(intervalSeconds).alone))
  }
  return Math.min(
    limits.browserAttemptMsMax,
    limits.attemptShareOfInterval * intervalSeconds * 1000,
  )
}

/** Whether the interval has room for a second attempt: not where the owner lets the first one take longer. */
export const hasRoomForRetry = ({ intervalSeconds, timeoutSeconds }: Timed): boolean =>
  timeoutSeconds === undefined || leavesRoomForRetry(timeoutSeconds, intervalSeconds)

/** The longest that the attempts of a run may take, ms: a journey's retry must fit its 45 s. */
export const attemptsMsMaxOf = (assignment: Timed): number =>
  attemptMsMaxOf(assignment) *
  (assignment.type === 'multistep' || !hasRoomForRetry(assignment) ? 1 : 2)

/** Beyond what the agent does, the request's way there and back. */
const replySlackMs = 1_000

/**
 * How long who asks for a run waits for its reading, ms: its account's turn at the agent, both attempts, and the
 * way. A browser run that waits for a page and fails twice may take longer: its reading then comes by the stream alone.
 */
export const askedRunMsMaxOf = (assignment: Timed): number => {
  const pageMs = assignment.type === 'browser' ? limits.pageTurnMsMax : 0
  const ms = limits.runTurnMsMax + pageMs + attemptsMsMaxOf(assignment) + replySlackMs
  return Math.min(ms, limits.runAskedMsMax)
}

/** Whether a failure is tried again at once, here and from other regions: not where that repeats an effect. */
export const isRetriedAtOnce = (assignment: Assignment): boolean =>
  assignment.type !== 'multistep' || isRepeatable(assignment.steps)

/** What is asked over `mesh.run.<region>`: one run at once, of a self-contained assignment. */
export const RunRequest = z.object({
  kind: ReadingKind.exclude(['scheduled']),
  /** The instant asked for, Unix ms: the reading's slot. */
  at: z.int(),
  number: z.int().min(0).max(4_294_967_295),
  assignment: Assignment,
  /**
   * A trial of an account that pays nothing: whatever else is asked goes before it. Absent is no, as from a control
   * plane older than this field.
   */
  freeTrial: z.boolean().optional(),
})
export type RunRequest = z.infer<typeof RunRequest>

/** The same before its assignment is understood: an agent may be older than who asks. */
export const AskedRun = RunRequest.extend({ assignment: z.unknown() })
