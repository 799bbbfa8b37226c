# SPDX-License-Identifier: Apache-2.0
# mbedTLS (2.28 or 3.x), which has no pkg-config file in Debian. MbedTLS::Crypto is the part
# that has the digests.
find_path(MBEDTLS_INCLUDE_DIR mbedtls/ssl.h)
find_library(MBEDTLS_LIBRARY mbedtls)
find_library(MBEDX509_LIBRARY mbedx509)
find_library(MBEDCRYPTO_LIBRARY mbedcrypto)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MbedTLS DEFAULT_MSG MBEDTLS_LIBRARY MBEDX509_LIBRARY
  MBEDCRYPTO_LIBRARY MBEDTLS_INCLUDE_DIR)

if(MbedTLS_FOUND AND NOT TARGET MbedTLS::MbedTLS)
  add_library(MbedTLS::Crypto INTERFACE IMPORTED)
  set_target_properties(MbedTLS::Crypto PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES ${MBEDTLS_INCLUDE_DIR}
    INTERFACE_LINK_LIBRARIES "${MBEDCRYPTO_LIBRARY}")
  add_library(MbedTLS::MbedTLS INTERFACE IMPORTED)
  set_target_properties(MbedTLS::MbedTLS PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES ${MBEDTLS_INCLUDE_DIR}
    INTERFACE_LINK_LIBRARIES "${MBEDTLS_LIBRARY};${MBEDX509_LIBRARY};${MBEDCRYPTO_LIBRARY}")
endif()
