import type { Server } from '@grpc/grpc-js'

/** Lets clients ask which calls there are. What that takes is loaded only where it is wanted. */
export async function addReflection(server: Server): Promise<void> {
  const [{ ReflectionService }, { loadFileDescriptorSetFromBuffer }, { fileDescriptorSet }] =
    await Promise.all([
      import('@grpc/reflection'),
      import('@grpc/proto-loader'),
      import('@sciencediscovery/proto-gen/descriptors'),
    ])
  const definition = loadFileDescriptorSetFromBuffer(Buffer.from(fileDescriptorSet, 'base64'))
  new ReflectionService(definition).addToServer(server)
}
