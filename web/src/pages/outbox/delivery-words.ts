import type { DeliveryState } from '@probe-mesh/contracts/channel/channel'
import type { Wording } from '../../html/components/tag.ts'

export const deliveryWords: Readonly<Record<DeliveryState, Wording>> = {
  pending: { tone: 'uncertain', text: 'Waiting' },
  delivered: { tone: 'good', text: 'Delivered' },
  dead: { tone: 'bad', text: 'Failed' },
  kept: { tone: 'silent', text: 'Not sent' },
}
