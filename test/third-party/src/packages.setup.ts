import { missingVariable } from './install-packages.js'

if (process.env[missingVariable])
  throw new Error(
    'The packages of test/third-party could not be installed: run `npm ci --prefix test/third-party`, which needs the npm registry.',
  )
