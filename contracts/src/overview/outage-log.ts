import { z } from 'zod'
import { CheckStatus, CheckType, StoredReading } from '../check/check.ts'
import { Uuid } from '../schema/ids.ts'
import { limits } from '../schema/limits.ts'
import { Instant } from '../schema/text.ts'
import { DeliveryState } from '../channel/channel.ts'
import { AnyRegion } from '../reading/regions.ts'
import { read, type Route } from '../schema/route.ts'

/** Posts of one outage, oldest first. */
export const outageIncidentsMax = 20
/** Flips, alerts and acts of one outage, oldest first. */
export const outageFlipsMax = 200
export const outageAlertsMax = 100
export const outageActsMax = 100

/**
 * One outage of a check, published or not: from the flip to `down` until the first flip to a status in which some
 * region sees the check up (`operational`, or `degraded` unless no region is up), or until the check is paused.
 *
 * Time without data inside an outage (`stale`, `unknown`, `degraded` with no region up) neither ends nor splits it,
 * and is not counted in `durationSeconds`. An outage that no reading ever contradicted stays open. What is still down
 * after a resume is another outage.
 */
export const Outage = z.object({
  id: z.string(),
  checkId: z.string(),
  checkName: z.string(),
  checkType: CheckType,
  startedAt: Instant,
  /** null while the outage is open. */
  endedAt: Instant.nullable(),
  /** `unmeasured`: open, and at present nothing is known. */
  status: z.enum(['down', 'unmeasured', 'ended']),
  /** Time in status `down`, by the rule of the uptime of `GET /checks/:id`. */
  durationSeconds: z.number().min(0),
  /** Time of the outage in which nothing was known. */
  unmeasuredSeconds: z.number().min(0),
  /** The reason when it began. */
  reason: z.string().nullable(),
  /** Regions that saw it fail when it began, and for an open outage those that see it fail now. Empty for heartbeats. */
  regions: z.array(AnyRegion),
  /** Incidents on status pages that were open for this check during the outage, oldest first. */
  incidentIds: z.array(z.string()).max(outageIncidentsMax),
  /** Delivered messages about it: alerts, reminders and the recovery, one per receiver. */
  alertsSent: z.int(),
  /** Whether an announced maintenance window covered the check when it began. */
  maintenance: z.boolean(),
})
export type Outage = z.infer<typeof Outage>

const QueryInstant = z.iso
  .datetime({ offset: true, message: 'must be an ISO 8601 time, such as 2026-11-20T12:00:00.000Z' })
  .transform((text) => Date.parse(text))

const OutagesQuery = z
  .strictObject({
    checkId: Uuid.optional(),
    /** `true`: only open outages; `false`: only ended ones. */
    open: z.stringbool({ truthy: ['true'], falsy: ['false'] }).optional(),
    /** Only outages with some time in [from, to). */
    from: QueryInstant.optional(),
    to: QueryInstant.optional(),
    limit: z.coerce.number().int().min(1).max(limits.outagesPageMax).default(limits.outagesPageDefault),
    cursor: z.string().max(200).optional(),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from < to, {
    path: ['from'],
    message: 'must be before to',
  })

export const Outages = z.object({
  /** Open ones first, each group newest first. */
  outages: z.array(Outage),
  nextCursor: z.string().nullable(),
  at: Instant,
})
export type Outages = z.infer<typeof Outages>

/** One message about the outage to one receiver. A digest is about several checks. */
const OutageAlert = z.object({
  event: z.enum(['alert', 'reminder', 'recovery', 'acknowledged', 'resolved', 'escalation']),
  /** When the rule decided to notify. */
  at: Instant,
  /** null while it waits for others, and when its receiver was deleted meanwhile. */
  deliveryId: z.string().nullable(),
  /** null when the message is no longer stored. */
  state: DeliveryState.nullable(),
  /** The name of the channel, or the mail address. */
  receiver: z.string().nullable(),
  kind: z.enum(['channel', 'mail']).nullable(),
  deliveredAt: Instant.nullable(),
})

/** What a person or key did with the alerts of the outage. */
const OutageAct = z.object({
  kind: z.enum(['acknowledge', 'snooze', 'resolve']),
  by: z.string(),
  at: Instant,
  /** Of a snooze. */
  until: Instant.nullable(),
})

/** A level of an escalation policy that was reached. */
const OutageEscalation = z.object({
  policy: z.string(),
  /** From 1, as is the round. */
  level: z.int(),
  round: z.int(),
  receivers: z.int(),
  /** Schedules in which no member was on call. */
  gaps: z.array(z.string()),
  at: Instant,
})

export const OutageDetail = Outage.extend({
  /** The flips from its begin to its end. */
  flips: z.array(
    z.object({ at: Instant, from: CheckStatus, to: CheckStatus, reason: z.string().nullable() }),
  ),
  /** The newest reading of each region up to its begin; null when ClickHouse did not answer. */
  readings: z.array(StoredReading).nullable(),
  alerts: z.array(OutageAlert).max(outageAlertsMax),
  acts: z.array(OutageAct).max(outageActsMax),
  escalations: z.array(OutageEscalation).max(outageActsMax),
})
export type OutageDetail = z.infer<typeof OutageDetail>

/** The outage log of the dashboard. */
export const outageLogRoutes = {
  listOutages: read({
    path: '/outages',
    summary: 'Outages of all checks, published or not, open ones first, then newest first',
    query: OutagesQuery,
    output: Outages,
  }),
  getOutage: read({
    path: '/outages/:id',
    summary: 'One outage with its flips, the readings at its begin and its messages',
    params: z.object({ id: Uuid }),
    output: OutageDetail,
  }),
} as const satisfies Record<string, Route>
