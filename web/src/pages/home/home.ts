import type { CatalogAnswer } from '@probe-mesh/contracts/outage/answers'
import type { Tier, TierLimits } from '@probe-mesh/contracts/account/tiers'
import type { SignUpMode } from '@probe-mesh/contracts/account/session'
import type { Asked } from '../../api/ask.ts'
import { shown } from '../answer-outcome.ts'
import { refused } from '../outcome.ts'
import { publicGet, type PublicRoute } from '../public-route.ts'
import { homePage } from './home-page.ts'

/**
 * The public start page of the site.
 * @param means.catalog requested in the site's name, as `signUp` is; the weather is requested for the
 * visitor, so that the page counts once (SV-6004)
 */
export const homeRoutes = (means: {
  catalog: () => Promise<Asked<CatalogAnswer>>
  signUp: () => Promise<Asked<{ mode: SignUpMode }>>
  apiUrl: string
  tiers: Readonly<Record<Tier, TierLimits>>
}): readonly PublicRoute[] => [
  publicGet('/', async ({ askPublic, assets }) => {
    const weather = await askPublic('internetWeather', {})
    if (!weather.ok) return refused(weather)
    const catalog = await means.catalog()
    if (!catalog.ok) return refused(catalog)
    const signUp = await means.signUp()
    const canSignUp = signUp.ok && signUp.value.mode !== 'closed'
    const answers = { catalog: catalog.value, weather: weather.value }
    const { apiUrl, tiers } = means
    return shown(homePage(assets, { ...answers, apiUrl, tiers, canSignUp }))
  }),
]
