import type { Catalog } from '@probe-mesh/contracts/outage/catalog'
import { service } from '@probe-mesh/control-plane/src/catalog/testing'
import type { Peers } from './peers.ts'

const stackId = '4fa81b7a-36f7-5099-b2bf-5491dd2af753'

/** Services on this machine's targets: up, failing in two regions, and refusing unknown clients. */
export const catalogOver = ({ steady, broken, refusing }: Peers): Catalog => {
  const probed = (slug: string, name: string, url: string) =>
    service(slug, { name, probes: [{ url, name: null, expect: {} }] })
  return {
    services: [
      probed('bank', 'Bank', refusing.url('/bank')),
      probed('forge', 'Forge', steady.url('/forge')),
      probed('mailer', 'Mailer', broken.url('/mailer')),
      probed('registry', 'Registry', steady.url('/registry')),
    ],
    stacks: [
      {
        id: stackId,
        slug: 'web-shop',
        name: 'Web shop',
        description: 'What a shop on the web stands on.',
        members: ['bank', 'forge', 'mailer', 'registry'],
      },
    ],
  }
}
