import type { Assets } from '../html/document.ts'

/** Asset paths for pages that a test renders without a server. */
export const testAssets: Assets = {
  style: '/assets/pages.css',
  script: '/assets/pages.js',
  icon: '/assets/icon.svg',
  touchIcon: '/assets/touch-icon.png',
  social: '/assets/social.png',
  icons: '/assets/icons.svg',
  logos: '/assets/logos.svg',
  land: '/assets/land.svg',
  font: '/assets/inter.woff2',
  modules: {},
}
