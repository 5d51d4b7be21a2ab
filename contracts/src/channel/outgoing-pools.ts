import { inFigures } from '../schema/in-figures.ts'
import type { SharedPool } from '../schema/shared-pool.ts'

/**
 * The places for messages of one kind, in each control plane. Each of two lanes has its own limit, so that
 * neither can use all places.
 */
export type DeliveryBounds = {
  places: number
  /** Places of one account, over all control planes. */
  placesOfAccount: number
  /** Places reserved for accounts without a message in flight. */
  placesOfNewcomers: number
  /** Low priority: messages to slow channels, news for subscribers. */
  placesOfLater: number
  /** High priority: all other messages. */
  placesOfFirst: number
  /** The longest attempt, ms. */
  attemptMsMax: number
}

const channelDeliveries: DeliveryBounds = {
  places: 64,
  placesOfAccount: 16,
  placesOfNewcomers: 16,
  placesOfLater: 32,
  placesOfFirst: 64,
  attemptMsMax: 10_000,
}
/** A channel is slow when its last attempt took longer than this, ms. */
export const slowChannelMs = 2_000

const mailDeliveries: DeliveryBounds = {
  places: 5,
  placesOfAccount: 3,
  placesOfNewcomers: 1,
  placesOfLater: 4,
  placesOfFirst: 4,
  attemptMsMax: 30_000,
}

/** Pending messages of one account. */
export const waitingDeliveriesMax = 50_000

/** Limits for confirmation mails, whose recipients may not know the account. */
export const subscriptionMailBounds = {
  perMailboxAndDay: 5,
  perAccountAndDay: 100,
  perDomainAndDay: 100,
  /** Additional mails per day for each confirmed subscription, of the account or of the domain. */
  perConfirmed: 2,
  /** An account with fewer mails to a domain today may exceed the limit of the domain. */
  perAccountAndDomain: 5,
  /** The maximum above the limit of a domain, over all accounts. */
  beyondDomainMax: 500,
  /** One network may use this fraction (1/n) of an account's daily limit. */
  networkPart: 4,
  /** A page at this limit sends none until subscriptions are confirmed or expire. */
  unconfirmedPerPageMax: 10_000,
} as const

/** RDAP queries to domain registries, in each control plane. */
export const domainQuestionBounds = {
  /** A domain is queried again after this time. */
  againMs: 86_400_000,
  roundMs: 15_000,
  perRound: 15,
  /** Concurrent queries. */
  places: 4,
} as const
const domainsPerMinute = (domainQuestionBounds.perRound * 60_000) / domainQuestionBounds.roundMs

const turnOf = (places: number, { attemptMsMax }: DeliveryBounds): string =>
  `with n waiting accounts, each is served within ceil(n / ${places}) x ${attemptMsMax / 1000} s`

/** Outgoing traffic: messages to channels, mail, RDAP queries. */
export const outgoingPools = {
  channelDeliveries: {
    what: 'Messages to notification channels in flight, in each control plane',
    bound: `${channelDeliveries.places}; one per channel; ${channelDeliveries.placesOfLater} to channels whose last attempt took over ${slowChannelMs / 1000} s`,
    share: `${channelDeliveries.placesOfAccount} of an account`,
    floor: `${channelDeliveries.placesOfNewcomers} places reserved for accounts with none in flight; ${turnOf(channelDeliveries.places - channelDeliveries.placesOfLater, channelDeliveries)}, for a channel that is not slow`,
    refused: 'nothing: a message waits for its turn until it is no longer worth sending',
    figures: ['deliveries_waiting', 'deliveries_in_flight', 'deliveries_account_waiting'],
    delivery: channelDeliveries,
  },
  mailDeliveries: {
    what: 'Mails in flight, in each control plane',
    bound: `${mailDeliveries.places}; ${mailDeliveries.placesOfLater} for news to subscribers and confirmation mails, ${mailDeliveries.placesOfFirst} for all other mail, which is sent first`,
    share: `${mailDeliveries.placesOfAccount} of an account`,
    floor: `${mailDeliveries.placesOfNewcomers} place reserved for accounts with none in flight; ${turnOf(mailDeliveries.places - mailDeliveries.placesOfLater, mailDeliveries)}`,
    refused: 'nothing: a mail waits for its turn until it is no longer worth sending',
    figures: ['deliveries_waiting', 'deliveries_in_flight', 'deliveries_account_waiting'],
    delivery: mailDeliveries,
  },
  subscriptionMails: {
    what: 'Confirmation mails of status page subscriptions per day (UTC)',
    bound: `to one mailbox ${subscriptionMailBounds.perMailboxAndDay} in 24 h, with a+1@ counted as a@; to one domain ${subscriptionMailBounds.perDomainAndDay}, plus ${subscriptionMailBounds.perConfirmed} for each confirmed subscription there, plus ${subscriptionMailBounds.beyondDomainMax} for the floors of accounts; ${inFigures(subscriptionMailBounds.unconfirmedPerPageMax)} unconfirmed subscriptions of a page`,
    share: `${subscriptionMailBounds.perAccountAndDay} of an account, plus ${subscriptionMailBounds.perConfirmed} for each confirmed subscription to its pages; none while no address of its users is confirmed; 1/${subscriptionMailBounds.networkPart} of that, and of a page's unconfirmed subscriptions, for one IPv4 address or IPv6 /48`,
    floor: `the share of the account; to a domain at its limit, the first ${subscriptionMailBounds.perAccountAndDomain} of each account, for ${subscriptionMailBounds.beyondDomainMax / subscriptionMailBounds.perAccountAndDomain} accounts`,
    refused: 'the mail is not sent; the visitor gets the usual response, and the account sees the count',
    figures: ['subscriptions_asked_total'],
  },
  domainQuestions: {
    what: 'RDAP queries to domain registries, in each control plane',
    bound: `${domainsPerMinute} a minute, ${domainQuestionBounds.places} at once; one per domain and day, over all accounts and control planes`,
    share: "turns: each account's first domain before another's second",
    floor: `with n accounts with due domains, one domain of each is queried within ceil(n / ${domainsPerMinute}) minutes`,
    refused: 'nothing: a domain waits for its turn',
    figures: ['domain_questions_total', 'domains_due'],
  },
  waitingDeliveries: {
    what: 'Pending messages',
    bound: 'no total limit except disk space',
    share: `${waitingDeliveriesMax} of an account`,
    floor: `the first ${waitingDeliveriesMax} of an account, independent of others`,
    refused: "the account's oldest news for subscribers is dropped first, alerts last",
    figures: ['deliveries_dropped_total', 'notify_dropped_total', 'deliveries_account_waiting'],
  },
} as const satisfies Record<string, SharedPool & { delivery?: DeliveryBounds }>
