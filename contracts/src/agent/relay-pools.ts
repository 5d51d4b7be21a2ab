import type { PoolBounds } from '@probe-mesh/runtime/fair-pool'
import { relayBudgetBounds } from './relay-budget.ts'
import { relayRequestBounds } from './relay.ts'
import { endedDeliveryBounds, outboxBounds, poisonBounds } from '../reading/set-aside.ts'
import { inFigures } from '../schema/in-figures.ts'
import { poolFigures, type SharedPool } from '../schema/shared-pool.ts'

const { least, catchUp, burstMinutes } = relayBudgetBounds
const { rates } = relayRequestBounds
const days = (ms: number): string => `${ms / 86_400_000} days`
const megabytes = (bytes: number): string => `${bytes / (1024 * 1024)} MB`

const runs = {
  places: 256,
  placesOfOwner: 32,
  waiting: 0,
  waitingOfOwner: 0,
  reserve: { places: 64, ofOwner: 1 },
} as const satisfies PoolBounds
/** Accounts with a guaranteed run: accounts at their share do not use the reserved places. */
const runAccounts = runs.reserve.places

/** Traffic of private agents, and stored leftovers: unreadable messages, the outbox, ended deliveries. */
export const relayPools = {
  relayReadings: {
    what: 'Readings and bytes that private agents send to the relay',
    bound: 'no total limit: the output of all checks, and the row of places for requests',
    share: `for one agent ${catchUp} times the output of its checks, and ${burstMinutes} minutes of it at once; only slots of its checks are stored, each once`,
    floor: `${least.perMinute.readings} readings a minute, and ${least.most.readings} at once`,
    refused:
      'SV-6002 with Retry-After: the agent keeps the readings and retries; a reading without a requested run, or outside the slots of its check, is dropped',
    figures: ['relay_refused_total', 'relay_readings_total'],
  },
  relayRequests: {
    what: 'Requests of private agents: readings, run replies, presence and streams',
    bound:
      'no total limit: the row of look-ups bounds the load of Postgres, and a reply is published only while its run is open',
    share: `for one token at one control plane ${relayRequestBounds.inFlight} in flight, and per second ${rates.readings.perSecond} with readings, ${rates.runs.perSecond} replies and ${rates.presence.perSecond} of presence or streams (${inFigures(rates.readings.burst)}, ${rates.runs.burst} and ${rates.presence.burst} at once)`,
    floor: "an agent's own: no other agent counts",
    refused: 'SV-6002 with Retry-After, before the body is read and the token is looked up',
    figures: ['relay_refused_total'],
  },
  agentRuns: {
    what: 'Runs of private agents that one control plane waits for',
    bounds: runs,
    bound: `${runs.places} at once`,
    share: `${runs.placesOfOwner} of one account, over all its agents`,
    floor: `one run at once, for ${runAccounts} accounts of each control plane: ${runs.reserve.places} places are reserved for accounts without one`,
    refused: 'the region is `unanswered` and counted as `busy`; a confirmation is retried twice',
    figures: poolFigures('http_runs_unanswered_total'),
  },
  poison: {
    what: 'Unreadable messages that are saved for the operator',
    bound: `${poisonBounds.allPerMinute.rows} per minute and loop`,
    share: `${poisonBounds.ownerPerMinute.rows} per minute and loop for one region or private agent`,
    floor: `${poisonBounds.floorPerMinute.rows} per minute and loop for each; all floors together add at most the bound again`,
    refused: 'dropped and counted; the message is acknowledged',
    figures: ['ingest_poison_dropped_total', 'error_poison_dropped_total'],
  },
  poisonKept: {
    what: 'Saved unreadable messages',
    bound: `${poisonBounds.all.rows} and ${megabytes(poisonBounds.all.bytes)}, for ${days(poisonBounds.ageMsMax)}`,
    share: `${poisonBounds.owner.rows} and ${megabytes(poisonBounds.owner.bytes)} of one region or private agent`,
    floor: 'above the total bound, the oldest of the largest owner are deleted first',
    refused: 'the oldest are dropped and counted',
    figures: ['poison_rows', 'poison_bytes', 'purge_dropped_total'],
  },
  outboxKept: {
    what: 'The outbox: changes to broadcast, and broadcast changes',
    bound: `${outboxBounds.allRows} broadcast rows; pending rows up to an age of ${days(outboxBounds.ageMsMax)}`,
    share: `${outboxBounds.ownerRows} pending rows of one account`,
    floor: 'pending rows count only in the share of their own account',
    refused: 'the oldest are dropped and counted',
    figures: ['purge_dropped_total'],
  },
  endedDeliveriesKept: {
    what: 'Stored messages that were delivered or failed permanently',
    bound: `${endedDeliveryBounds.allRows} rows`,
    share: `${endedDeliveryBounds.ownerRows} rows of one account`,
    floor: 'above the total bound, the oldest of the largest account are deleted first',
    refused: 'the oldest are dropped and counted',
    figures: ['purge_dropped_total'],
  },
} as const satisfies Record<string, SharedPool>
