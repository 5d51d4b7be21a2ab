import type { PlainRoute } from './page-route.ts'

/** What the bare address opens: the dashboard of who is logged in, and for anybody what is measured of the internet. */
export const homeRoutes: readonly PlainRoute[] = [
  {
    method: 'GET',
    path: '/',
    serve: async ({ ask }) => {
      const who = await ask('getSession', {})
      return { kind: 'elsewhere', path: who.ok ? '/dashboard' : '/services' }
    },
  },
]
