cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define first_byte(flags) (__builtin_ctzll(flags) >> 3)
    #else
    static int first_byte(unsigned long long flags) {
        int place = 0;
        while (!(flags & 0x80)) { flags >>= 8; place++; }
        return place;
    }
    #endif
    """
    int first_byte(unsigned long long flags) nogil
