/*
 * A Vulkan driver that compiles shaders and runs nothing. It passes every call on to Mesa's RADV, which
 * RADV_FORCE_FAMILY makes compile for an AMD GPU that need not exist. RADV then crashes when commands are recorded, so
 * recording, submitting and waiting only report success here. CELLSTORM_RADV is the path of RADV's library.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*Function)(void);
typedef Function (*Lookup)(void *owner, const char *name);

static const char *const IDLE[] = {
    "vkBeginCommandBuffer", "vkEndCommandBuffer", "vkQueueSubmit",   "vkQueueSubmit2",   "vkQueueSubmit2KHR",
    "vkQueueWaitIdle",      "vkDeviceWaitIdle",   "vkWaitForFences", "vkGetFenceStatus",
};

static Lookup device_lookup;

/* Callers pass arguments, which the calling conventions of x86-64 and ARM64 let a function ignore. 0 is VK_SUCCESS. */
static uint32_t succeed(void) { return 0; }

static Function replace(Function found, const char *name) {
  if (!found) return found;
  if (strncmp(name, "vkCmd", 5) == 0) return (Function)succeed;
  for (size_t i = 0; i < sizeof IDLE / sizeof *IDLE; i++)
    if (strcmp(name, IDLE[i]) == 0) return (Function)succeed;
  return found;
}

static Function look_up_for_device(void *device, const char *name) {
  return replace(device_lookup(device, name), name);
}

static void *radv(const char *name) {
  static void *library;
  const char *path = getenv("CELLSTORM_RADV");
  if (!library) library = dlopen(path ? path : "", RTLD_NOW);
  void *found = library ? dlsym(library, name) : NULL;
  if (found) return found;
  fprintf(stderr, "CELLSTORM_RADV is %s, but it must be the path of RADV's library: %s\n", path, dlerror());
  exit(1);
}

Function vk_icdGetInstanceProcAddr(void *instance, const char *name) {
  Function found = ((Lookup)radv("vk_icdGetInstanceProcAddr"))(instance, name);
  if (!found || strcmp(name, "vkGetDeviceProcAddr") != 0) return replace(found, name);
  device_lookup = (Lookup)found;
  return (Function)look_up_for_device;
}

Function vk_icdGetPhysicalDeviceProcAddr(void *instance, const char *name) {
  return ((Lookup)radv("vk_icdGetPhysicalDeviceProcAddr"))(instance, name);
}

uint32_t vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version) {
  return ((uint32_t(*)(uint32_t *))radv("vk_icdNegotiateLoaderICDInterfaceVersion"))(version);
}
