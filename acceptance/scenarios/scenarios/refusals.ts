import type { Behaviour } from '../behaviour.ts'
import { blocked, down, ended, everywhere, mixed, ongoing, up, type Scenario } from '../scenario.ts'

/** A service that refuses our probes and works for others. */
const refuses = (slug: string, behaviour: Behaviour, reason: string): Scenario => ({
  name: `a service that is ${slug} to our probes is blocked, never down and never up`,
  services: [{ slug }],
  moments: {
    before: { services: { [slug]: up() } },
    during: { set: { [slug]: behaviour }, services: { [slug]: blocked({ reason }) } },
    after: { services: { [slug]: blocked({ reason }) } },
    later: { set: { [slug]: 'up' }, services: { [slug]: up() } },
  },
})

/** A refusal is not `down`: it does not show whether a service works (S-103). */
export const refusals: readonly Scenario[] = [
  refuses('denied', 'denied', 'the probe was refused with 403'),
  refuses('limited', 'limited', 'the probe was refused with 429'),
  refuses('challenged', 'challenged', 'the probe met a bot challenge'),
  refuses('captcha', 'captcha', 'the probe was blocked by a web application firewall'),
  refuses('robot-page', 'robotPage', 'the probe met a bot challenge (Amazon'),
  refuses('oddly-denied', 'oddlyDenied', 'the probe was refused with 999'),
  refuses('challenged-busy', 'challengedBusy', 'the probe met a bot challenge'),
  {
    name: 'a service that blocks one region is up where it works',
    services: [{ slug: 'shut-to-one' }],
    moments: {
      before: { services: { 'shut-to-one': up() } },
      during: {
        set: { 'shut-to-one': { nrt: 'denied' } },
        services: { 'shut-to-one': mixed('up', { nrt: 'blocked' }) },
      },
      after: {
        set: { 'shut-to-one': { iad: 'challenged', sjc: 'limited' } },
        services: {
          'shut-to-one': mixed('up', { iad: 'blocked', sjc: 'blocked', nrt: 'blocked' }),
        },
      },
    },
  },
  {
    name: 'a service that blocks some regions and fails in the others is down in some regions',
    services: [{ slug: 'shut-and-broken' }],
    moments: {
      before: { services: { 'shut-and-broken': up() } },
      during: {
        set: { 'shut-and-broken': { iad: 'denied', sjc: 'denied', fra: 'down', nrt: 'down' } },
        services: {
          'shut-and-broken': {
            status: 'down_in_some_regions',
            seen: { iad: 'blocked', sjc: 'blocked', fra: 'down', nrt: 'down' },
            outages: [ongoing('fra', 'nrt')],
          },
        },
      },
    },
  },
  {
    name: 'a service that blocks, fails and works in different regions is down in some regions',
    services: [{ slug: 'all-three' }],
    moments: {
      before: { services: { 'all-three': up() } },
      during: {
        set: { 'all-three': { iad: 'challenged', sjc: 'down', fra: 'reset' } },
        services: {
          'all-three': mixed(
            'down_in_some_regions',
            { iad: 'blocked', sjc: 'down', fra: 'down' },
            { outages: [ongoing('sjc', 'fra')] },
          ),
        },
      },
    },
  },
  {
    name: 'an outage ends when the service starts to block our probes',
    services: [{ slug: 'shutters' }],
    moments: {
      before: { services: { shutters: up() } },
      during: {
        set: { shutters: 'down' },
        services: { shutters: down({ outages: [ongoing()] }) },
      },
      after: {
        set: { shutters: 'denied' },
        services: {
          shutters: { status: 'blocked', seen: everywhere('blocked'), outages: [ended()] },
        },
      },
    },
  },
  {
    name: 'an API with an expected 401 is up while it answers 401',
    services: [{ slug: 'members-only', expect: { statusMin: 401, statusMax: 401 } }],
    moments: {
      before: { set: { 'members-only': 'private' }, services: { 'members-only': up() } },
      during: {
        set: { 'members-only': 'down' },
        services: { 'members-only': down({ outages: [ongoing()] }) },
      },
      after: {
        set: { 'members-only': 'denied' },
        services: { 'members-only': blocked({ outages: [ended()] }) },
      },
    },
  },
]
