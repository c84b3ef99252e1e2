/* Vulkan's loader table. Its function pointers stay inside the library: it is
   built with hidden visibility. */
#define VOLK_IMPLEMENTATION
#include <volk.h>
