import type { SharedPool } from '../schema/shared-pool.ts'

/**
 * How the places for messages of one kind are shared, in each control plane. A lane holds some of
 * them, so that the other one is never without a place.
 */
export type DeliveryBounds = {
  places: number
  /** Of one account, over all control planes. */
  placesOfAccount: number
  /** Kept for accounts that have no message under way. */
  placesOfNewcomers: number
  /** Messages that wait behind others: to slow channels, news for subscribers. */
  placesOfLater: number
  /** All other messages. */
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
/** A channel whose last attempt took longer is slow, ms. */
export const slowChannelMs = 2_000

const mailDeliveries: DeliveryBounds = {
  places: 5,
  placesOfAccount: 3,
  placesOfNewcomers: 1,
  placesOfLater: 4,
  placesOfFirst: 4,
  attemptMsMax: 30_000,
}

/** Messages of one account that wait to be sent. */
export const waitingDeliveriesMax = 50_000

/** Confirmation mails, which go to people who may be strangers to the account. */
export const subscriptionMailBounds = {
  perMailboxAndDay: 5,
  perAccountAndDay: 100,
  perDomainAndDay: 100,
  /** More a day for each subscription that was confirmed, of the account or of the domain. */
  perConfirmed: 2,
  /** An account that has sent fewer to a domain today sends beyond what the domain gets. */
  perAccountAndDomain: 5,
  /** The most beyond what a domain gets, of all accounts together. */
  beyondDomainMax: 500,
  /** One network has the fourth part of what an account sends in a day. */
  networkPart: 4,
  /** Of a page: beyond this, none until some confirm or run out. */
  unconfirmedPerPageMax: 10_000,
} as const

/** Questions to the registries of domains, in each control plane. */
export const domainQuestionBounds = {
  /** A domain is asked about again after this. */
  againMs: 86_400_000,
  roundMs: 15_000,
  perRound: 15,
  /** Under way at once. */
  places: 4,
} as const
const domainsPerMinute = (domainQuestionBounds.perRound * 60_000) / domainQuestionBounds.roundMs

const turnOf = (places: number, { attemptMsMax }: DeliveryBounds): string =>
  `of n accounts with messages waiting, each is served within ceil(n / ${places}) x ${attemptMsMax / 1000} s`

/** What leaves: messages to channels, mail. */
export const outgoingPools = {
  channelDeliveries: {
    what: 'Messages to notification channels under way, in each control plane',
    bound: `${channelDeliveries.places}; one of a channel; ${channelDeliveries.placesOfLater} to channels whose last attempt took over ${slowChannelMs / 1000} s`,
    share: `${channelDeliveries.placesOfAccount} of an account`,
    floor: `${channelDeliveries.placesOfNewcomers} places only for accounts with none under way; ${turnOf(channelDeliveries.places - channelDeliveries.placesOfLater, channelDeliveries)}, over a channel that is not slow`,
    refused: 'nothing: a message waits for its turn until it is no longer worth sending',
    figures: ['deliveries_waiting', 'deliveries_in_flight', 'deliveries_account_waiting'],
    delivery: channelDeliveries,
  },
  mailDeliveries: {
    what: 'Mails under way, in each control plane',
    bound: `${mailDeliveries.places}; ${mailDeliveries.placesOfLater} of news for subscribers and confirmation mails, ${mailDeliveries.placesOfFirst} of all other mail, which goes first`,
    share: `${mailDeliveries.placesOfAccount} of an account`,
    floor: `${mailDeliveries.placesOfNewcomers} place only for accounts with none under way; ${turnOf(mailDeliveries.places - mailDeliveries.placesOfLater, mailDeliveries)}`,
    refused: 'nothing: a mail waits for its turn until it is no longer worth sending',
    figures: ['deliveries_waiting', 'deliveries_in_flight', 'deliveries_account_waiting'],
    delivery: mailDeliveries,
  },
  subscriptionMails: {
    what: 'Confirmation mails to people who ask for the mail of a page, a day (UTC)',
    bound: `to one mailbox ${subscriptionMailBounds.perMailboxAndDay} in 24 h, a+1@ counted as a@; to one domain ${subscriptionMailBounds.perDomainAndDay} and ${subscriptionMailBounds.perConfirmed} for each confirmed subscription there, and ${subscriptionMailBounds.beyondDomainMax} for the floors of accounts; ${subscriptionMailBounds.unconfirmedPerPageMax.toLocaleString('en')} unconfirmed subscriptions of a page`,
    share: `${subscriptionMailBounds.perAccountAndDay} of an account and ${subscriptionMailBounds.perConfirmed} for each confirmed subscription to its pages, and none while no address of its users is confirmed; 1/${subscriptionMailBounds.networkPart} of that, and of a page's unconfirmed ones, for requests of one IPv4 address or IPv6 /48`,
    floor: `the share of the account; to a domain that has had its mail, the first ${subscriptionMailBounds.perAccountAndDomain} of each account, for ${subscriptionMailBounds.beyondDomainMax / subscriptionMailBounds.perAccountAndDomain} accounts`,
    refused:
      'the mail is not sent; the visitor is answered as always, and the account sees the count',
    figures: ['subscriptions_asked_total'],
  },
  domainQuestions: {
    what: 'Questions to the registries of domains (RDAP), in each control plane',
    bound: `${domainsPerMinute} a minute, ${domainQuestionBounds.places} at once; one of a domain a day, over all accounts and control planes`,
    share: "turns: each account's first domain before another's second",
    floor: `of n accounts with domains due, each has one asked about within ceil(n / ${domainsPerMinute}) minutes`,
    refused: 'nothing: a domain waits for its turn',
    figures: ['domain_questions_total', 'domains_due'],
  },
  waitingDeliveries: {
    what: 'Messages that wait to be sent',
    bound: 'none in all: disk',
    share: `${waitingDeliveriesMax} of an account`,
    floor: `the first ${waitingDeliveriesMax} of an account, whatever others have`,
    refused: 'the oldest news for subscribers of the account is dropped first, alerts last',
    figures: ['deliveries_dropped_total', 'notify_dropped_total', 'deliveries_account_waiting'],
  },
} as const satisfies Record<string, SharedPool & { delivery?: DeliveryBounds }>
