import { z } from 'zod'
import { Assertions } from '../check/assertions.ts'
import { leavesRoomForRetry, RefusedAs, timeoutsOf, TimeoutSeconds } from '../check/check-timeout.ts'
import { Uuid } from '../schema/ids.ts'
import { limits } from '../schema/limits.ts'
import { typeShapes, type SettingsTypeName, type TypeShape } from '../check/types-with-settings.ts'
import { ReadingKind } from '../reading/reading.ts'
import { AnyRegion } from '../reading/regions.ts'
import { isRepeatable, Step } from '../check/step.ts'
import { HttpRequest } from '../check/request-options.ts'

/** 20 secrets of the longest value, sealed. */
const sealedCharactersMax = 300_000

const base = {
  checkId: Uuid,
  accountId: z.string(),
  region: AnyRegion,
  revision: z.int().min(1),
  /** The start of this revision's slots, Unix ms. */
  validFrom: z.int(),
  intervalSeconds: z.int().min(1),
  /** The offset of its slots in the interval, ms. By default a hash of check and region. */
  phaseMs: z.int().min(0).optional(),
  /** The owner of the target. The rules for `blocked` depend on it (S-803, S-804). */
  owner: z.enum(['account', 'catalog']),
}

/** Whether requests contain the region in a header. Absent means no; older agents do not know this field. */
const sendRegion = z.boolean().optional()
/** A custom timeout. Absent means the default; older agents do not know this field. */
const timeoutSeconds = TimeoutSeconds.optional()

export const HttpAssignment = z.object({
  ...base,
  type: z.literal('http'),
  url: z.string().max(limits.urlCharactersMax),
  assertions: Assertions,
  sendRegion,
  timeoutSeconds,
  /** The verdict for a bare 403 or 429; absent means `down`. */
  refusedAs: RefusedAs.optional(),
})
/** The secrets that a check uses, for the agents of its region alone: `SealedSecrets` as JSON, sealed for its check. */
const sealed = z.string().max(sealedCharactersMax).optional()

/** An http check that is more than a GET. Older agents do not know the type, so they never measure a plain GET instead. */
export const HttpRequestAssignment = HttpAssignment.extend({
  type: z.literal('http_request'),
  request: HttpRequest,
  sealed,
})
export const MultistepAssignment = z.object({
  ...base,
  type: z.literal('multistep'),
  steps: z.array(Step).min(1).max(limits.stepsMax),
  sendRegion,
})
/** A journey whose steps have options; for older agents, as above. */
export const MultistepRequestAssignment = MultistepAssignment.extend({
  type: z.literal('multistep_request'),
  sealed,
})
type AssignmentOf<Name extends SettingsTypeName> = Name extends Name
  ? z.ZodObject<typeof base & TypeShape<Name>>
  : never
const assignmentsOfTypes = typeShapes.map((shape) =>
  z.object({ ...base, ...shape }),
) as unknown as AssignmentOf<SettingsTypeName>[]
/** The assignment of a type whose settings are one object. */
export type SettingsAssignment<Name extends SettingsTypeName> = z.infer<AssignmentOf<Name>>

/** A check for the agents of one region: self-contained, with a revision. */
export const Assignment = z.discriminatedUnion('type', [
  HttpAssignment,
  HttpRequestAssignment,
  MultistepAssignment,
  MultistepRequestAssignment,
  ...assignmentsOfTypes,
])
export type Assignment = z.infer<typeof Assignment>
export type HttpAssignment = z.infer<typeof HttpAssignment>
export type HttpRequestAssignment = z.infer<typeof HttpRequestAssignment>
export type MultistepAssignment = z.infer<typeof MultistepAssignment>
export type MultistepRequestAssignment = z.infer<typeof MultistepRequestAssignment>

/** The fields that define the slots. All versions and types have them. */
const slotted = z.object(base).omit({ accountId: true, owner: true })

/** The name of a type of any version, for reasons. */
const typeName = z.string().regex(/^[a-z0-9_-]{1,40}$/)

/**
 * An assignment that this agent does not support. It keeps the slots, so that the agent reports each as
 * unmeasured. Only agents create it; it is never sent.
 */
export const UnknownAssignment = slotted.extend({
  type: z.literal('unknown'),
  /** The received type, known or not. */
  sentType: typeName,
})
export type UnknownAssignment = z.infer<typeof UnknownAssignment>

const HeldAssignment = z.discriminatedUnion('type', [Assignment, UnknownAssignment])
/** An assignment in the memory of an agent. */
export type HeldAssignment = z.infer<typeof HeldAssignment>

const Sent = slotted.extend({ type: typeName })

/**
 * Parses a received or stored assignment. A newer version becomes unknown. @returns null without valid slots
 */
export const toHeldAssignment = (received: unknown): HeldAssignment | null => {
  const held = HeldAssignment.safeParse(received)
  if (held.success) return held.data
  const sent = Sent.safeParse(received)
  if (!sent.success) return null
  return { ...sent.data, type: 'unknown', sentType: sent.data.type }
}

/** Whether this version knows the type. */
export const isKnownType = (type: string): boolean =>
  Assignment.options.some((option) => option.shape.type.value === type)

/** The timeout of one attempt, ms. A slot has two attempts and must end before the next slot. */
export const attemptDeadlineMs = (intervalSeconds: number): number =>
  Math.min(limits.attemptMsMax, limits.attemptShareOfInterval * intervalSeconds * 1000)

type Timed = Pick<Assignment, 'type' | 'intervalSeconds'> & {
  timeoutSeconds?: number | undefined
}

/**
 * The timeout of one attempt by type, ms. A journey has 45 s and a browser 20 s, both with intervals of 60 s or
 * more. Other types have a custom timeout, limited by the interval.
 */
export const attemptMsMaxOf = ({ type, intervalSeconds, timeoutSeconds }: Timed): number => {
  if (isJourney(type)) return limits.journeyMsMax
  if (type !== 'browser') {
    return timeoutSeconds === undefined
      ? attemptDeadlineMs(intervalSeconds)
      : 1_000 * Math.max(1, Math.min(timeoutSeconds, timeoutsOf(intervalSeconds).alone))
  }
  return Math.min(limits.browserAttemptMsMax, limits.attemptShareOfInterval * intervalSeconds * 1000)
}

const isJourney = (type: Assignment['type']): boolean => type === 'multistep' || type === 'multistep_request'

/** Whether the interval has room for a second attempt. A long custom timeout leaves none. */
export const hasRoomForRetry = ({ intervalSeconds, timeoutSeconds }: Timed): boolean =>
  timeoutSeconds === undefined || leavesRoomForRetry(timeoutSeconds, intervalSeconds)

/** The longest time of all attempts of a run, ms. A journey's retry must fit in its 45 s. */
export const attemptsMsMaxOf = (assignment: Timed): number =>
  attemptMsMaxOf(assignment) * (isJourney(assignment.type) || !hasRoomForRetry(assignment) ? 1 : 2)

/** Time for the request and reply on the network. */
const replySlackMs = 1_000

/**
 * The longest wait for the reading of a requested run, ms: the account's turn at the agent, both attempts, and the
 * network. A browser run that waits for a page and fails twice may take longer; only the stream then has its reading.
 */
export const requestedRunMsMaxOf = (assignment: Timed): number => {
  const pageMs = assignment.type === 'browser' ? limits.pageTurnMsMax : 0
  const ms = limits.runTurnMsMax + pageMs + attemptsMsMaxOf(assignment) + replySlackMs
  return Math.min(ms, limits.runRequestMsMax)
}

/** Whether a failure is retried at once, here and in other regions. Not for requests with side effects. */
export const isRetriedAtOnce = (assignment: Assignment): boolean => {
  if ('steps' in assignment) return isRepeatable(assignment.steps)
  return assignment.type !== 'http_request' || isRepeatable([{ method: assignment.request.method ?? 'GET' }])
}

/** A request on `mesh.run.<region>`: one immediate run of a self-contained assignment. */
export const RunRequest = z.object({
  kind: ReadingKind.exclude(['scheduled']),
  /** The time of the request, Unix ms, which is the reading's slot. */
  at: z.int(),
  number: z.int().min(0).max(4_294_967_295),
  assignment: Assignment,
  /**
   * A trial of a free account, which has the lowest priority. Absent means no; older control planes do not send
   * it.
   */
  freeTrial: z.boolean().optional(),
  /** Whether the reply has the begin of the answer. Absent means no; older agents ignore it. */
  excerpt: z.boolean().optional(),
})
export type RunRequest = z.infer<typeof RunRequest>

/** A run request before its assignment is parsed. The agent may be older than the sender. */
export const AskedRun = RunRequest.extend({ assignment: z.unknown() })
