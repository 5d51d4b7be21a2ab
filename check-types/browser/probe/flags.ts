import { loopbackHost, loopbackInUrl } from '@probe-mesh/runtime/loopback'

/** Features that contact other servers than the page's, or that distort the measurement. */
const disabledFeatures = [
  'AimEnabled',
  'AutofillServerCommunication',
  'CertificateTransparencyComponentUpdater',
  'DialMediaRouteProvider',
  'GlobalMediaControls',
  'HttpsUpgrades',
  'InterestFeedContentSuggestions',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'Translate',
]

/** Limit of one page's script memory, MB. */
const scriptHeapMb = 512

/**
 * All flags of Chromium. All its traffic goes through the proxy: loopback included, no name
 * resolution, no QUIC, no unproxied WebRTC.
 */
export const chromiumFlags = (options: {
  proxyPort: number
  profile: string
  isSandboxed: boolean
}): string[] => [
  '--headless',
  '--remote-debugging-pipe',
  '--no-startup-window',
  `--user-data-dir=${options.profile}`,
  ...(options.isSandboxed ? [] : ['--no-sandbox']),

  `--proxy-server=http://${loopbackInUrl()}:${options.proxyPort}`,
  '--proxy-bypass-list=<-loopback>',
  `--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE ${loopbackHost()}`,
  '--dns-prefetch-disable',
  '--disable-quic',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',

  '--disable-background-networking',
  '--disable-breakpad',
  '--disable-client-side-phishing-detection',
  '--disable-component-extensions-with-background-pages',
  '--disable-component-update',
  '--disable-crash-reporter',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-extensions',
  '--disable-field-trial-config',
  '--disable-search-engine-choice-screen',
  '--disable-sync',
  '--metrics-recording-only',
  '--no-default-browser-check',
  '--no-first-run',
  '--no-pings',
  '--no-service-autorun',

  '--deny-permission-prompts',
  '--disable-back-forward-cache',
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-dev-shm-usage',
  '--disable-gpu',
  '--disable-renderer-backgrounding',
  '--force-color-profile=srgb',
  '--hide-scrollbars',
  '--mute-audio',
  '--password-store=basic',
  '--use-mock-keychain',
  `--js-flags=--max-old-space-size=${scriptHeapMb}`,
  '--enable-features=CDPScreenshotNewSurface',
  `--disable-features=${disabledFeatures.join(',')}`,
]
