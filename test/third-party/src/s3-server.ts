import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nextFreePort } from '@keel/embedded-postgres'
import S3rver from 's3rver'

/** A real S3-compatible server with one bucket, which checks signatures and keeps its files in a folder of its own. */
export async function startS3(): Promise<{ settings: Record<string, string>; stop(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'keel-s3-'))
  const port = await nextFreePort(56_500)
  const server = new S3rver({
    port,
    address: '127.0.0.1',
    directory,
    silent: true,
    configureBuckets: [{ name: 'blobs', configs: [] }],
  })
  await server.run()
  const settings = {
    'Blobs:S3:Bucket': 'blobs',
    'Blobs:S3:Endpoint': `http://127.0.0.1:${port}`,
    'Blobs:S3:AccessKey': 'S3RVER',
    'Blobs:S3:SecretKey': 'S3RVER',
    'Blobs:S3:Prefix': 'keel/',
  }
  return {
    settings,
    async stop() {
      await server.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
