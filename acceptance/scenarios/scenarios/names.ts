import { expect } from 'vitest'
import { up, type Scenario } from '../scenario.ts'

/** Spellings of names, and their services. */
export const names: readonly Scenario[] = [
  {
    name: 'finds a service by slug, name, alias and domain in any spelling',
    services: [
      {
        slug: 'larkspur-desk',
        name: 'Larkspur Desk',
        aliases: ['LKD', 'Larkspur Tickets'],
        domains: ['larkspurdesk.net'],
      },
    ],
    moments: {
      before: {
        services: { 'larkspur-desk': up() },
        names: Object.fromEntries(
          [
            'larkspur-desk',
            'Larkspur Desk',
            'LARKSPURDESK',
            ' larkspur   desk ',
            'Lárkspur-Desk!',
            'lkd',
            'larkspur tickets',
            'larkspurdesk.net',
            'WWW.LarkspurDesk.net',
            'https://eu.larkspurdesk.net/login?next=%2F',
          ].map((name) => [name, 'larkspur-desk']),
        ),
      },
    },
  },
  {
    name: 'finds a renamed service by its old name and its old domain',
    services: [
      {
        slug: 'quillon',
        name: 'Quillon',
        aliases: ['Parchment Works'],
        domains: ['quillon.net', 'parchmentworks.net'],
      },
    ],
    moments: {
      before: {
        services: { quillon: up() },
        names: {
          'Parchment Works': 'quillon',
          'parchment-works': 'quillon',
          'parchmentworks.net': 'quillon',
          'https://app.parchmentworks.net': 'quillon',
          'quillon.net': 'quillon',
          Quillon: 'quillon',
        },
      },
    },
  },
  {
    name: 'a misspelt name is not covered, and the answer only suggests similar services',
    services: [{ slug: 'vermilion-mail', name: 'Vermilion Mail', domains: ['vermilionmail.net'] }],
    moments: {
      before: {
        services: { 'vermilion-mail': up() },
        names: {
          'vermillion mail': { didYouMean: ['vermilion-mail'] },
          vermilionmial: { didYouMean: ['vermilion-mail'] },
          'vermillionmail.net': { didYouMean: ['vermilion-mail'] },
        },
      },
    },
  },
  {
    name: 'a service outside the catalog is not covered, without a guess',
    services: [{ slug: 'umbrel-cloud', name: 'Umbrel Cloud', domains: ['umbrelcloud.net'] }],
    moments: {
      before: {
        services: { 'umbrel-cloud': up() },
        names: {
          zyxwvut: { didYouMean: [] },
          'zyxwvut.net': { didYouMean: [] },
          '0': { didYouMean: [] },
          '???': { didYouMean: [] },
          ['not'.repeat(66)]: { didYouMean: [] },
          // a host does not match a service by its name
          'umbrel.cloud': { didYouMean: ['umbrel-cloud'] },
        },
        verify: async ({ client }) => {
          const stack = await client.query('getStack', { params: { idOrSlug: 'no-such-stack' } })
          expect(stack).toMatchObject({ ok: false, problem: { code: 'SV-3001', status: 404 } })
          const region = await client.query('isServiceDown', {
            params: { slug: 'umbrel-cloud' },
            query: { region: 'Frankfurt' },
          })
          expect(region).toMatchObject({ ok: false, problem: { code: 'SV-2001' } })
        },
      },
    },
  },
]
